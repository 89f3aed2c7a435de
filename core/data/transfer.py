"""Downloading one file over HTTP, whole or not at all.

An address that does not answer, or answers that it is busy (408, 429, 5xx), or sends less than it announced, is tried
again; any other refusal is final. Only http and https are followed: addresses come from other sites' answers, too.

Nothing that a server does takes more than what is stated: the bytes of a file have a limit, which is checked as they
arrive, and so has the whole time, from the connection to the last byte. It may last a timeout plus a second for each
`SLOWEST` bytes that have come, and no longer than `Network.longest`. Answers are taken as they are sent and never
unpacked: an answer that is encoded, though `identity` was asked for, is refused.

Requests does the transfer, and not pooch, which wraps it: pooch verifies a file by a hash that is known beforehand, and
most publishers state none. What is verified here is the content after conversion (see `core.data.verify`), which
stays the same when a publisher repacks a file. Nor does pooch tell an answer that is final from one that may pass.
"""

from __future__ import annotations

import hashlib
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from core.data.catalogue import Network
from core.data.errors import CorruptDataError, DownloadError, StorageError
from core.foundation.files import cannot_be_written

if TYPE_CHECKING:
    from requests import Response, Session

Progress = Callable[[str, int, int | None], None]  # what, bytes so far, total bytes (None: not announced)

LIMIT = 2**30
"""Bytes of a file of which no other limit is known."""
SLOWEST = 2**14
"""Bytes a second that an answer has to bring, on average."""
_PIECE = 1 << 16
_REDIRECTIONS = 10
_HEADERS = {"User-Agent": "hpo-replications", "Accept-Encoding": "identity"}
_BUSY = frozenset({408, 429, 500, 502, 503, 504})


def download(
    url: str,
    path: Path,
    network: Network,
    *,
    limit: int = LIMIT,
    md5: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write what `url` serves to `path`.

    Args:
        url: Canonical address; `network.mirror` may redirect it.
        path: Path of a new file in an existing folder; removed if anything goes wrong.
        network: Mirror, timeouts and retries.
        limit: The most bytes that the file may have.
        md5: Checksum that the publisher states.
        progress: Function called after each piece.

    Raises:
        DownloadError: no answer, an error as answer, or less than announced, after all tries; an answer that is too
            large, too slow, encoded, or leads to another kind of address.
        CorruptDataError: the checksum is not the publisher's.
        StorageError: the disk is full or the folder cannot be written.
    """
    address = _followed(mirrored(url, network.mirror))
    complete = False
    try:
        digest = _try_repeatedly(address, path, network, limit, progress)
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
    parts = urlsplit(_followed(url))
    return f"{mirror.rstrip('/')}/{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")


def storage_error(path: Path, error: OSError) -> StorageError:
    """The error for a write that failed."""
    return StorageError(cannot_be_written(path, error))


def _followed(address: str) -> str:
    """The address, if it is one that is followed."""
    try:
        known = urlsplit(address).scheme in ("http", "https") and address.isprintable()
    except (ValueError, TypeError, AttributeError):  # of another site's making, and no text at all
        known = False
    if not known:
        shown = address if isinstance(address, str) and address.isprintable() else repr(address)
        raise DownloadError(f"{shown[:200]}: not an http or https address")
    return address


def _try_repeatedly(address: str, path: Path, network: Network, limit: int, progress: Progress | None) -> str:
    """Retry until the file is complete; returns its MD5."""
    from requests import HTTPError, RequestException  # which reading files that are here does without
    from urllib3.exceptions import HTTPError as TransferError

    end = time.monotonic() + network.longest
    for attempt in range(network.attempts):
        if attempt:
            time.sleep(network.pause * 2 ** (attempt - 1))
        try:
            return _receive(address, path, network.timeout, end, limit, progress)
        except HTTPError as error:
            answer = error.response
            assert answer is not None  # requests has it optional for errors of other makers
            reason = f"answered {answer.status_code} {answer.reason}"
            if answer.status_code not in _BUSY:
                raise DownloadError(f"{address}: {reason}") from error
        except (RequestException, TransferError, UnicodeError) as error:
            reason = f"no whole answer ({' '.join(str(_root(error)).split())[:300]})"
        except OSError as error:
            raise storage_error(path, error) from error
    raise DownloadError(f"{address}: {reason} (tried {network.attempts} times)")


def _receive(address: str, path: Path, timeout: float, end: float, limit: int, progress: Progress | None) -> str:
    digest, received = hashlib.md5(usedforsecurity=False), 0
    with _Watch(address, timeout, end) as watch, _answer(watch.session, address, timeout) as response:
        response.raise_for_status()
        if (encoding := response.headers.get("Content-Encoding", "identity").strip().lower()) != "identity":
            raise DownloadError(f"{address}: the answer is encoded ({encoding[:40]!r}), though identity was asked for")
        text = response.headers.get("Content-Length", "")
        announced = int(text) if text.isdigit() and len(text) < 20 else None
        with open(path, "wb") as stream:
            # Raises if fewer bytes come than were announced.
            for piece in response.iter_content(_PIECE) if (announced or 0) <= limit else [b""]:
                received += len(piece)
                if max(received, announced or 0) > limit:
                    raise DownloadError(f"{address}: larger than {limit:,} bytes, the most that this file may have")
                watch.received = received
                stream.write(piece)
                digest.update(piece)
                if progress is not None:
                    progress(response.url, received, announced)
    return digest.hexdigest()


def _answer(session: Session, address: str, timeout: float) -> Response:
    """The answer behind all redirections."""
    for _ in range(_REDIRECTIONS):
        response = session.get(address, headers=_HEADERS, stream=True, timeout=timeout)
        if not response.is_redirect:
            return response
        target = response.headers["Location"]
        response.close()
        try:
            address = _followed(urljoin(address, target))
        except (DownloadError, ValueError) as error:
            raise DownloadError(f"{address}: redirects to {target[:200]!r}, not an http or https address") from error
    raise DownloadError(f"{address}: redirects more than {_REDIRECTIONS} times")


class _Watch:
    """A session whose connections are cut when their time is over.

    The timeouts of sockets bound the time between two bytes only, and requests waits for a whole line or piece.

    Attributes:
        session: The session.
        received: How many bytes have come, which is set by who receives them.
    """

    def __init__(self, address: str, timeout: float, end: float) -> None:
        self.session, self.received = _session(self._opened), 0
        self._address, self._start, self._timeout, self._end = address, time.monotonic(), timeout, end
        self._sockets: list[socket.socket] = []
        self._over = threading.Event()
        self._too_long = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self.session.close()
        for each in self._sockets:
            each.close()
        if self._too_long and (error is None or isinstance(error, Exception)):
            passed = time.monotonic() - self._start
            raise DownloadError(
                f"{self._address}: given up after {passed:.0f} s with {self.received:,} bytes; needed: "
                f"{SLOWEST:,} bytes a second, and all of them in time"
            ) from error

    def _opened(self, connection: socket.socket) -> None:
        self._sockets.append(connection.dup())  # TLS takes the connection's own over

    def _run(self) -> None:
        while (left := self._left()) > 0:
            if self._over.wait(left):
                return
        self._too_long = True
        while not self._over.wait(0.1):  # others may be opened after this
            for each in list(self._sockets):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _left(self) -> float:
        allowed = self._start + self._timeout + (self.received + _PIECE) / SLOWEST
        return min(allowed, self._end) - time.monotonic()


def _session(opened: Callable[[socket.socket], None]) -> Session:
    """A session of Requests that tells of the connections that it opens.

    It follows no redirections, since it would read the bodies of their answers, however long they are.
    """
    from requests import Session
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager

    def telling(pool: Any) -> Any:
        class Connection(pool.ConnectionCls):  # type: ignore[misc]
            def _new_conn(self) -> socket.socket:
                made = super()._new_conn()
                opened(made)
                return made

        return type(pool.__name__, (pool,), {"ConnectionCls": Connection})

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
            super().init_poolmanager(*arguments, **options)
            self._tell(self.poolmanager)

        def proxy_manager_for(self, *arguments: Any, **options: Any) -> PoolManager:
            manager = super().proxy_manager_for(*arguments, **options)
            self._tell(manager)
            return manager

        @staticmethod
        def _tell(manager: PoolManager) -> None:
            pools = {"http": HTTPConnectionPool, "https": HTTPSConnectionPool}
            manager.pool_classes_by_scheme = {scheme: telling(pool) for scheme, pool in pools.items()}

    class Direct(Session):
        def get_redirect_target(self, resp: Response) -> None:
            """None: no redirections are followed here."""

    session = Direct()
    for scheme in ("http://", "https://"):
        session.mount(scheme, Adapter())
    return session


def _root(error: BaseException) -> BaseException:
    """The error that caused others, which say little more than how it came about."""
    return error if error.__context__ is None else _root(error.__context__)
