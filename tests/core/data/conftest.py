"""A file server on loopback, tiny data sets in the catalogue, and the copies of real data where there are any."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.data import Network, Places, entries
from core.data.catalogue import Entry


@dataclass
class Answer:
    """What the server says to one address: the body, how long it claims to be, the status, and further headers.

    `act` says something else instead, with the handler as its argument, until its caller is gone.
    """

    body: bytes = b""
    length: int | None = None  # the body's own where None
    status: int = 200
    announce: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    act: Callable[[BaseHTTPRequestHandler], None] | None = None


@dataclass
class Server:
    """Answers by path; unknown paths are 404, and `/never` keeps its caller waiting."""

    address: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    requests: Counter = field(default_factory=Counter)
    release: threading.Event = field(default_factory=threading.Event)

    def serve(self, url: str, body: bytes, **fields: object) -> None:
        """Answer a canonical address, below its host name as a mirror does."""
        self.serve_in_turn(url, {"body": body, **fields})

    def serve_in_turn(self, url: str, *answers: dict[str, object]) -> None:
        """One answer after the other, the last one for ever."""
        self.answers[self.path(url)] = [Answer(**fields) for fields in answers]

    def count(self, url: str) -> int:
        """How often an address was asked for."""
        return self.requests[self.path(url)]

    @staticmethod
    def path(url: str) -> str:
        return "/" + url.split("://", 1)[1]

    def answer(self, path: str) -> Answer:
        self.requests[path] += 1
        answers = self.answers.get(path, [Answer(status=404)])
        return answers[min(self.requests[path], len(answers)) - 1]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/never":
                state.release.wait()
                return
            answer = state.answer(self.path)
            if answer.act is not None:
                answer.act(self)
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.announce:
                self.send_header("Content-Length", str(len(answer.body) if answer.length is None else answer.length))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *arguments: object) -> None:
            """The test's output stays clean."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    listening.handle_error = lambda *_: None  # a client that gives up closes its connection
    state = Server(f"http://127.0.0.1:{listening.server_port}")
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
    thread.start()
    yield state
    state.release.set()
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture
def places(server: Server, tmp_path: Path) -> Places:
    """An empty data folder whose downloads all come from the server, at once."""
    return Places(root=tmp_path / "data", network=Network(mirror=server.address, attempts=3, pause=0.0))


@pytest.fixture
def catalogued(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Entry]:
    """Adds an entry to the catalogue for the length of a test."""

    def add(name: str, **fields: object) -> Entry:
        made = Entry(name=name, **{"task": "regression", "origin": "made by the test", **fields})
        monkeypatch.setitem(entries(), name, made)
        return made

    return add


@pytest.fixture(scope="session")
def copies() -> Path:
    """A folder with copies of the real data sets; the test is skipped where REPLICATION_DATA names none."""
    for folder in os.environ.get("REPLICATION_DATA", "").split(":"):
        if folder and (Path(folder) / "regression" / "boston.csv.gz").is_file():
            return Path(folder)
    pytest.skip("REPLICATION_DATA names no folder with copies of the data sets")


@pytest.fixture
def leftovers(places: Places) -> Callable[[], list[str]]:
    """What is in the data folder, but for the locks."""

    def found() -> list[str]:
        paths = places.root.rglob("*")
        return sorted(str(path.relative_to(places.root)) for path in paths if ".locks" not in path.parts)

    return found
