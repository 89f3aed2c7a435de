"""Downloads against a server on loopback: everything a network can do to a file."""

import errno
import hashlib
import io
import socket
import sys

import pytest

from core.data import CorruptDataError, DownloadError, Network, StorageError
from core.data.transfer import download, mirrored

URL = "https://data.example.org/set+one/file.csv"
BODY = bytes(range(256)) * 3000  # several pieces


def test_the_file_arrives_whole_and_progress_is_told(server, places, tmp_path):
    server.serve(URL, BODY)
    told = []
    download(URL, tmp_path / "f", places.network, md5=hashlib.md5(BODY).hexdigest(), progress=lambda *a: told.append(a))
    assert (tmp_path / "f").read_bytes() == BODY
    assert told[-1][1:] == (len(BODY), len(BODY)) and len(told) > 1
    assert [received for _, received, _ in told] == sorted(received for _, received, _ in told)


def test_a_length_that_is_not_announced_is_fine(server, places, tmp_path):
    server.serve(URL, BODY, announce=False)
    download(URL, tmp_path / "f", places.network)
    assert (tmp_path / "f").read_bytes() == BODY


@pytest.mark.parametrize(
    ("answer", "message", "tries"),
    [
        ({"status": 404}, "answered 404 Not Found", 1),
        ({"status": 403}, "answered 403 Forbidden", 1),
        ({"status": 503}, r"answered 503 Service Unavailable \(tried 3 times\)", 3),
        ({"body": BODY, "length": 10**7}, rf"no whole answer \(.*{len(BODY)} bytes read.*\) \(tried 3 times\)", 3),
    ],
)
def test_what_cannot_be_had_is_said_and_nothing_is_kept(server, places, tmp_path, answer, message, tries):
    server.serve_in_turn(URL, answer)
    with pytest.raises(DownloadError, match=rf"{server.address}/data.example.org/set\+one/file.csv: {message}"):
        download(URL, tmp_path / "f", places.network)
    assert not (tmp_path / "f").exists() and server.count(URL) == tries


@pytest.mark.parametrize("failure", [{"status": 503}, {"status": 429}, {"body": BODY[:1000], "length": len(BODY)}])
def test_a_failure_that_passes_is_tried_again(server, places, tmp_path, failure):
    server.serve_in_turn(URL, failure, failure, {"body": BODY})
    download(URL, tmp_path / "f", places.network)
    assert (tmp_path / "f").read_bytes() == BODY and server.count(URL) == 3


def test_another_checksum_than_the_publishers_is_refused(server, places, tmp_path):
    server.serve(URL, BODY)
    with pytest.raises(CorruptDataError, match=r"has MD5 .*, its publisher says 0{32}"):
        download(URL, tmp_path / "f", places.network, md5="0" * 32)
    assert not (tmp_path / "f").exists()


def test_no_network(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused
        network = Network(mirror=f"http://127.0.0.1:{taken.getsockname()[1]}", attempts=2, pause=0.0)
        with pytest.raises(DownloadError, match=r"no whole answer \(.*refused\) \(tried 2 times\)"):
            download(URL, tmp_path / "f", network)
    assert not (tmp_path / "f").exists()


def test_a_server_that_never_answers_is_given_up_on(server, tmp_path):
    with pytest.raises(DownloadError, match=r"/never: no whole answer \(.*timed out.*\)"):
        download(f"{server.address}/never", tmp_path / "f", Network(timeout=0.1, attempts=1))


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://example.org/f", "/etc/hostname"])
def test_only_http_is_followed(tmp_path, address):
    with pytest.raises(DownloadError, match="not an http or https address"):
        download(address, tmp_path / "f", Network())


def test_a_folder_that_cannot_be_written(server, places, tmp_path):
    server.serve(URL, BODY)
    with pytest.raises(StorageError, match="absent/f: cannot be written"):
        download(URL, tmp_path / "absent" / "f", places.network)


def test_a_disk_that_fills_up(server, places, tmp_path, monkeypatch):
    """The write fails as on a full disk; test_fetching fills a real one where it may mount one."""
    server.serve(URL, BODY)

    class Full(io.FileIO):
        def write(self, piece):
            super().write(piece[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys.modules["core.data.transfer"], "open", Full, raising=False)
    with pytest.raises(StorageError, match=r"/f: no space left on the device \(.* free in .*\); nothing of it"):
        download(URL, tmp_path / "f", places.network)
    assert not (tmp_path / "f").exists() and server.count(URL) == 1


def test_a_mirror_serves_every_site_below_its_name():
    assert mirrored("https://a.org/x/y?id=3", "http://mirror/copies/") == "http://mirror/copies/a.org/x/y?id=3"
    assert mirrored(URL, None) == URL
