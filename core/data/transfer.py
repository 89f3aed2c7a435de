"""Downloading one file over HTTP, whole or not at all.

An address that does not answer, or answers that it is busy (408, 429, 5xx), or sends less than it announced, is tried
again after a growing pause; any other answer except success is final. Only http and https are followed: addresses come
from other sites' answers, too.

pooch is not used: it verifies a file by its hash, and most publishers state none. What is verified here is the content
after conversion (see `core.data.fingerprint`), which stays the same when a publisher repacks a file.
"""

from __future__ import annotations

import hashlib
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from core.data.errors import CorruptDataError, DownloadError, StorageError
from core.data.places import Network
from core.files import cannot_be_written

Progress = Callable[[str, int, int | None], None]  # what, bytes so far, total bytes (None: not announced)

_PIECE = 1 << 18
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


class _InterruptedError(Exception):
    """A try that failed in a way that another try may not."""


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
    for attempt in range(network.attempts):
        if attempt:
            time.sleep(network.pause * 2 ** (attempt - 1))
        try:
            return _receive(address, path, network.timeout, progress)
        except _InterruptedError as failure:
            reason = failure
    raise DownloadError(f"{address}: {reason} (tried {network.attempts} times)")


def _receive(address: str, path: Path, timeout: float, progress: Progress | None) -> str:
    request = urllib.request.Request(address, headers={"User-Agent": "hpo-replications", "Accept-Encoding": "identity"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return _store(response, path, progress)
    except urllib.error.HTTPError as error:
        answer = f"answered {error.code} {error.reason}"
        error.close()
        if error.code in _BUSY:
            raise _InterruptedError(answer) from error
        raise DownloadError(f"{address}: {answer}") from error
    except urllib.error.URLError as error:
        raise _InterruptedError(f"no answer ({error.reason})") from error
    except (http.client.HTTPException, ConnectionError, TimeoutError) as error:
        raise _InterruptedError(f"no answer ({error or type(error).__name__})") from error


def _store(response: http.client.HTTPResponse, path: Path, progress: Progress | None) -> str:
    announced = response.headers.get("Content-Length")
    total = int(announced) if announced and announced.isdigit() else None
    digest, received = hashlib.md5(usedforsecurity=False), 0
    try:
        with open(path, "wb") as stream:
            for piece in _pieces(response):
                stream.write(piece)
                digest.update(piece)
                received += len(piece)
                if progress is not None:
                    progress(response.url, received, total)
    except OSError as error:  # errors of the disk: those of the network are caught in _pieces
        raise storage_error(path, error) from error
    if total is not None and received != total:
        raise _InterruptedError(f"ended after {received} of {total} bytes")
    return digest.hexdigest()


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while piece := response.read(_PIECE):
            yield piece
    except (http.client.HTTPException, OSError) as error:
        raise _InterruptedError(f"the connection broke ({error or type(error).__name__})") from error
