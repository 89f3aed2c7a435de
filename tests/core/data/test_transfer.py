"""Downloads against a server on loopback: everything a network can do to a file."""

import dataclasses
import errno
import hashlib
import io
import socket
import sys
import threading
import time
import zlib

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


def endless(handler):
    handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(bytes(1 << 16))


def dripping(first):
    def act(handler):
        handler.wfile.write(first)
        while True:
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.02)

    return act


def continuing(handler):
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.02)


def test_no_more_is_written_than_the_limit(server, places, tmp_path):
    told = []
    for answer in ({"act": endless}, {"body": BODY}, {"body": b"", "length": 10**15}):
        server.serve_in_turn(URL, answer)
        server.requests.clear()
        with pytest.raises(
            DownloadError, match=r"file.csv: larger than 100,000 bytes, the most that this file may have"
        ):
            download(URL, tmp_path / "f", places.network, limit=100_000, progress=lambda *a: told.append(a[1]))
        assert not (tmp_path / "f").exists() and server.count(URL) == 1
    assert max(told) <= 100_000
    server.serve(URL, BODY)
    download(URL, tmp_path / "f", places.network, limit=len(BODY))


@pytest.mark.parametrize("encoding", ["gzip", "X-GZip", "deflate", "br", "identity, gzip"])
def test_what_is_encoded_though_it_was_asked_for_as_it_is(server, places, tmp_path, encoding):
    compress = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = compress.compress(bytes(10**7)) + compress.flush()
    server.serve(URL, bomb, headers={"Content-Encoding": encoding})
    told = []
    with pytest.raises(DownloadError, match=r"the answer is encoded \('.*'\), though identity was asked for"):
        download(URL, tmp_path / "f", places.network, progress=lambda *a: told.append(a))
    assert told == [] and server.count(URL) == 1


@pytest.mark.parametrize(
    "act",
    [
        dripping(b"HTTP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
        dripping(b"HTTP/1.0 200 OK\r\n\r\n"),
        dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        dripping(b"HTTP/1.0 200 OK\r\nX-Header: "),
        dripping(b"HTTP/1.0 302 Found\r\nX-Header: "),
        continuing,
    ],
    ids=["announced", "unannounced", "chunk", "header", "redirection", "continue"],
)
def test_a_byte_at_a_time_does_not_outlast_the_limit(server, places, tmp_path, monkeypatch, act):
    """However often the timeout between two bytes begins anew."""
    monkeypatch.setattr("core.data.transfer.SLOWEST", 2**30)
    server.serve_in_turn(URL, {"act": act})
    with pytest.raises(
        DownloadError, match=r"file.csv: given up after \d s with \d+ bytes; needed: 1,073,741,824 bytes a s"
    ):
        download(URL, tmp_path / "f", dataclasses.replace(places.network, timeout=0.3))
    assert not (tmp_path / "f").exists() and server.count(URL) == 1
    assert not any("_run" in thread.name for thread in threading.enumerate()), "the watch ends with what it watches"


def test_the_whole_time_has_a_limit_however_much_comes(server, places, tmp_path):
    server.serve_in_turn(URL, {"act": endless})
    with pytest.raises(DownloadError, match=r"given up after \d s with [\d,]+ bytes"):
        download(URL, tmp_path / "f", dataclasses.replace(places.network, longest=0.2), limit=2**40)
    assert not (tmp_path / "f").exists()


def test_redirections_are_followed_and_their_bodies_are_not_read(server, places, tmp_path):
    def moved(handler):
        handler.wfile.write(b"HTTP/1.0 302 Found\r\nLocation: /data.example.org/there\r\n\r\n")
        while True:
            handler.wfile.write(bytes(1 << 16))

    server.serve_in_turn(URL, {"act": moved})
    server.serve("https://data.example.org/there", BODY)
    download(URL, tmp_path / "f", places.network)
    assert (tmp_path / "f").read_bytes() == BODY


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("file:///etc/hostname", "redirects to 'file:///etc/hostname', not an http or https address"),
        ("ftp://example.org/f", "redirects to 'ftp://example.org/f', not an http"),
        ("http://[", r"redirects to 'http://\[', not an http"),
        ("/data.example.org/set+one/file.csv", "redirects more than 10 times"),
    ],
)
def test_redirections_to_anything_else_are_not(server, places, tmp_path, target, message):
    server.serve(URL, b"", status=302, headers={"Location": target})
    with pytest.raises(DownloadError, match=rf"file.csv: {message}"):
        download(URL, tmp_path / "f", places.network)
    assert not (tmp_path / "f").exists() and server.count(URL) in (1, 10)


@pytest.mark.parametrize("length", ["-5", "abc", "5, 6", "9" * 400])
def test_lengths_that_are_no_lengths_are_one_line(server, places, tmp_path, length):
    server.serve(URL, b"12345", announce=False, headers={"Content-Length": length})
    try:
        download(URL, tmp_path / "f", places.network)
    except DownloadError as error:
        assert "\n" not in str(error) and not (tmp_path / "f").exists()
    else:
        assert (tmp_path / "f").read_bytes() == b"12345"


@pytest.mark.parametrize(
    "address", ["http://[", "http://a\nb/c", "", "javascript:x", ["http://a"], 7, None, "http://" + "a" * 300]
)
def test_addresses_of_others_that_are_none(tmp_path, address):
    for mirror in (None, "http://127.0.0.1:9"):
        with pytest.raises(DownloadError) as caught:
            download(address, tmp_path / "f", Network(mirror=mirror, attempts=1, timeout=1.0))
        assert "\n" not in str(caught.value)


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
