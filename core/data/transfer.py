"""Downloading one file over HTTP, whole or not at all.

An address that does not answer, or answers that it is busy (408, 429, 5xx), or sends less than it announced, is tried
again; any other refusal is final. Only http and https are followed: addresses come from other sites' answers, too.

Requests does the transfer, and not pooch, which wraps it: pooch verifies a file by a hash that is known beforehand, and
most publishers state none. What is verified here is the content after conversion (see `core.data.fingerprint`), which
stays the same when a publisher repacks a file. Nor does pooch tell an answer that is final from one that may pass.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from core.data.errors import CorruptDataError, DownloadError, StorageError
from core.data.places import Network
from core.files import cannot_be_written

Progress = Callable[[str, int, int | None], None]  # what, bytes so far, total bytes (None: not announced)

_PIECE = 1 << 18
_HEADERS = {"User-Agent": "hpo-replications", "Accept-Encoding": "identity"}
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


def download(
    url: str, path: Path, network: Network, *, md5: str | None = None, progress: Progress | None = None
) -> None:
    """Write what `url` serves to `path`.

    Args:
        url: Canonical address; `network.mirror` may redirect it.
        path: Path of a new file in an existing folder; removed if anything goes wrong.
        network: Mirror, timeout and retries.
        md5: Checksum that the publisher states.
        progress: Function called after each piece.

    Raises:
        DownloadError: no answer, an error as answer, or less than announced, after all tries.
        CorruptDataError: the checksum is not the publisher's.
        StorageError: the disk is full or the folder cannot be written.
    """
    address = mirrored(url, network.mirror)
    if urlsplit(address).scheme not in ("http", "https"):
        raise DownloadError(f"{address}: not an http or https address")
    complete = False
    try:
        digest = _try_repeatedly(address, path, network, progress)
        if md5 is not None and digest != md5:
            raise CorruptDataError(f"{address}: the file has MD5 {digest}, its publisher says {md5}")
        complete = True
    finally:
        if not complete:
            path.unlink(missing_ok=True)


def mirrored(url: str, mirror: str | None) -> str:
    """The address to fetch `url` from."""
    if mirror is None:
        return url
    parts = urlsplit(url)
    return f"{mirror.rstrip('/')}/{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")


def storage_error(path: Path, error: OSError) -> StorageError:
    """The error for a write that failed."""
    return StorageError(cannot_be_written(path, error))


def _try_repeatedly(address: str, path: Path, network: Network, progress: Progress | None) -> str:
    """Retry until the file is complete; returns its MD5."""
    from requests import HTTPError, RequestException  # which reading files that are here does without

    for attempt in range(network.attempts):
        if attempt:
            time.sleep(network.pause * 2 ** (attempt - 1))
        try:
            return _receive(address, path, network.timeout, progress)
        except HTTPError as error:
            answer = error.response
            assert answer is not None  # requests has it optional for errors of other makers
            reason = f"answered {answer.status_code} {answer.reason}"
            if answer.status_code not in _BUSY:
                raise DownloadError(f"{address}: {reason}") from error
        except RequestException as error:
            reason = f"no whole answer ({_root(error)})"
        except OSError as error:
            raise storage_error(path, error) from error
    raise DownloadError(f"{address}: {reason} (tried {network.attempts} times)")


def _receive(address: str, path: Path, timeout: float, progress: Progress | None) -> str:
    import requests

    digest, received = hashlib.md5(usedforsecurity=False), 0
    with requests.get(address, headers=_HEADERS, stream=True, timeout=timeout) as response:
        response.raise_for_status()
        announced = response.headers.get("Content-Length", "")
        with open(path, "wb") as stream:
            for piece in response.iter_content(_PIECE):  # raises if fewer bytes come than were announced
                stream.write(piece)
                digest.update(piece)
                received += len(piece)
                if progress is not None:
                    progress(response.url, received, int(announced) if announced.isdigit() else None)
    return digest.hexdigest()


def _root(error: BaseException) -> BaseException:
    """The error that caused others, which say little more than how it came about."""
    return error if error.__context__ is None else _root(error.__context__)
