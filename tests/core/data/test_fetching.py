"""Fetching as a whole: what is in the folder afterwards, whatever happened."""

import dataclasses
import errno
import gzip
import io
import json
import os
import subprocess
import threading
import zipfile

import numpy as np
import pytest

from core.data import CorruptDataError, DownloadError, Places, StorageError, fetch, load
from core.data.errors import DataError
from core.data.verify import Pin, file_sha256, read_pins, shaped_fingerprint, write_pin

URL = "https://archive.example.org/static/public/1/data.csv"
CSV = b"A,B,Y\n1,2,3\n4,5,6\n"
FILE = "regression/tiny.csv.gz"


@pytest.fixture
def tiny(catalogued):
    source = {"kind": "text", "url": URL, "target": "Y"}
    return catalogued("tiny", file=FILE, rows=2, columns=3, target="y", source=source)


def test_a_set_without_known_content_is_pinned_at_the_first_download(tiny, server, places, leftovers):
    server.serve(URL, CSV)
    assert fetch("tiny", places) == [places.root / FILE]
    assert leftovers() == ["fingerprints.json", "regression", FILE]
    pin = json.loads((places.root / "fingerprints.json").read_text())["tiny"]
    assert pin["sha256"] == file_sha256(places.root / FILE) and pin["url"] == URL
    assert pin["fingerprint"] == shaped_fingerprint(tiny, places.root / FILE)
    assert load("tiny", places=places).X.tolist() == [[1, 2], [4, 5]]


def test_what_is_there_is_not_fetched_again(tiny, server, places):
    server.serve(URL, CSV)
    fetch("tiny", places)
    fetch("tiny", places)
    assert server.count(URL) == 1


def test_pinned_bytes_are_not_fingerprinted_again(tiny, server, places, monkeypatch):
    server.serve(URL, CSV)
    fetch("tiny", places)
    monkeypatch.setattr("core.data.verify.table_fingerprint", None)
    assert load("tiny", places=places).y.tolist() == [3, 6]


def test_a_later_download_must_be_what_was_pinned_unless_accepted(tiny, server, places, leftovers):
    server.serve_in_turn(URL, {"body": CSV}, {"body": b"A,B,Y\n4,5.0,6\n1e0,2,3\n"}, {"body": CSV.replace(b"6", b"7")})
    fetch("tiny", places)
    (places.root / FILE).unlink()
    fetch("tiny", places)  # other bytes and order, the same content
    (places.root / FILE).unlink()
    with pytest.raises(CorruptDataError, match=r"tiny: .* the download of .* python -m core.data fetch tiny --accept"):
        fetch("tiny", places)
    assert leftovers() == ["fingerprints.json", "regression"]
    fetch("tiny", places, accept=True)
    assert load("tiny", places=places).y.tolist() == [3, 7]


def test_a_file_that_changed_since_it_was_pinned_is_refused(tiny, server, places):
    server.serve(URL, CSV)
    fetch("tiny", places)
    (places.root / FILE).write_bytes(gzip.compress(b"A,B,y\n1,2,3\n4,5,9\n"))
    with pytest.raises(CorruptDataError, match=r"tiny.csv.gz has content fingerprint .* the pin of"):
        load("tiny", places=places)


def test_content_that_the_catalogue_does_not_know_is_refused_unless_accepted(catalogued, server, places, leftovers):
    source = {"kind": "text", "url": URL, "target": "Y"}
    catalogued("tiny", file=FILE, rows=2, columns=3, target="y", fingerprint="0" * 64, source=source)
    server.serve(URL, CSV)
    with pytest.raises(CorruptDataError, match=r"the copy the catalogue was made from has 0{16}"):
        load("tiny", places=places)
    assert leftovers() == []
    fetch("tiny", places, accept=True)
    assert load("tiny", places=places).y.tolist() == [3, 6]


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ({"status": 404}, DownloadError, "answered 404"),
        ({"body": CSV, "length": 1000}, DownloadError, "18 bytes read, 982 more expected"),
        ({"body": CSV[:-6]}, CorruptDataError, "has 1 rows and 3 columns, the catalogue says 2 and 3"),
        ({"body": b"<html>moved</html>"}, CorruptDataError, "has no column 'Y'"),
        ({"body": b"\xff\xd8\xff"}, CorruptDataError, "truncated, or not the archive"),
        ({"body": b""}, CorruptDataError, "not a table"),
    ],
)
def test_nothing_is_left_of_a_download_that_failed(tiny, server, places, leftovers, answer, error, message):
    server.serve_in_turn(URL, answer)
    with pytest.raises(error, match=message):
        fetch("tiny", places)
    assert leftovers() == []


def test_two_fetches_at_once_download_once(tiny, server, places, leftovers):
    server.serve(URL, CSV)
    threads = [threading.Thread(target=fetch, args=("tiny", places)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.count(URL) == 1 and FILE in leftovers()


def test_what_a_killed_fetch_left_is_removed(tiny, server, places, leftovers):
    server.serve(URL, CSV)
    (places.root / ".tiny-abandoned").mkdir(parents=True)
    (places.root / ".tiny-abandoned" / "download").write_bytes(b"half")
    fetch("tiny", places)
    assert leftovers() == ["fingerprints.json", "regression", FILE]


def test_a_zip_archive_and_text_without_a_header(catalogued, server, places):
    url = "https://archive.example.org/static/public/2/set+two.zip"
    source = {
        "kind": "text", "url": url, "member": "data.txt", "separator": "whitespace",
        "names": ["a", "t", "unused"], "target": "t", "drop": ["unused"],
    }  # fmt: skip
    catalogued("zipped", file=FILE, rows=2, columns=2, target="goal", source=source)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("__MACOSX/._data.txt", "junk")
        archive.writestr("The Set/data.txt", "  1.0   2.0   3.0 \n   4.0   5.0   6.0 \n\n")
    server.serve(url, stream.getvalue())
    zipped = load("zipped", places=places)
    assert zipped.X.tolist() == [[1], [4]] and zipped.y.tolist() == [2, 5] and zipped.feature_names == ("a",)
    (places.root / FILE).unlink()
    server.serve(url, stream.getvalue()[:-40])
    with pytest.raises(CorruptDataError, match="truncated, or not the archive it should be"):
        load("zipped", places=places)


def test_columns_are_centred_to_so_many_digits(catalogued, server, places):
    source = {"kind": "text", "url": URL, "target": "Y", "centred_digits": 3}
    catalogued("centred", file=FILE, rows=3, columns=3, target="y", source=source)
    server.serve(URL, b"A,B,Y\n1,10,0\n2,20,0\n4,30,1000\n")
    centred = load("centred", places=places)
    assert centred.X.tolist() == [[-1.33, -10], [-0.333, 0], [1.67, 10]] and centred.y.tolist() == [-333, -333, 667]


def test_files_that_cannot_be_downloaded_say_where_to_ask(catalogued, places):
    catalogued("private", file=FILE, rows=1, columns=2, target="y", origin="the authors", source={"kind": "by hand"})
    with pytest.raises(DownloadError, match="no download is known; origin: the authors"):
        fetch("private", places)


def test_a_damaged_file_of_pins_is_named(tiny, server, places):
    server.serve(URL, CSV)
    places.root.mkdir()
    (places.root / "fingerprints.json").write_text('{"tiny": 3}')
    with pytest.raises(CorruptDataError, match=r"fingerprints.json: not a file of fingerprints .* remove it"):
        fetch("tiny", places)


def test_pins_are_whole_on_the_disk_or_as_they_were(tmp_path, monkeypatch):
    """A disk may fill up, or a machine stop, while they are written."""
    pin = Pin("a", "b", "https://archive.example.org", "2026-11-23")
    write_pin(tmp_path, "one", pin)

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"fingerprints.json: no space left on the device"):
        write_pin(tmp_path, "two", pin)
    assert read_pins(tmp_path) == {"one": pin} and len(list(tmp_path.iterdir())) == 1


def test_a_full_disk(tiny, server, places, tmp_path):
    """On a real file system of 64 kB, where we may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        server.serve(URL, CSV * 20000)
        with pytest.raises(StorageError, match="no space left on the device"):
            fetch("tiny", dataclasses.replace(places, root=disk / "data"))
        remains = [path for path in (disk / "data").rglob("*") if path.is_file() and path.suffix != ".lock"]
        assert remains == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_data_folder_that_cannot_be_made(tiny, tmp_path):
    (tmp_path / "data").write_text("a file, not a folder")
    with pytest.raises((DataError, ValueError), match="data"):
        fetch("tiny", Places(root=tmp_path / "data"))


def test_numbers_survive_the_way_from_the_source(catalogued, server, places):
    values = np.random.default_rng(0).normal(size=(50, 3)) * np.array([1e-9, 1, 1e12])
    text = "A,B,Y\n" + "".join(",".join(map(repr, row)) + "\n" for row in values.tolist())
    source = {"kind": "text", "url": URL, "target": "Y"}
    catalogued("exact", file=FILE, rows=50, columns=3, target="y", source=source)
    server.serve(URL, text.encode())
    exact = load("exact", places=places)
    assert (values[:, :2] == exact.X).all() and (exact.y == values[:, 2]).all()


def bomb_of(name, size, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression, compresslevel=9) as archive, archive.open(name, "w") as member:
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))
    return stream.getvalue()


@pytest.fixture
def zipped(catalogued):
    source = {"kind": "text", "url": "https://archive.example.org/s.zip", "member": "data.txt", "target": "y"}
    return catalogued("zipped", file=FILE, rows=2, columns=2, target="y", source=source)


def test_an_archive_that_unpacks_to_a_thousand_times_its_size(zipped, server, places, leftovers, monkeypatch):
    bomb = bomb_of("data.txt", zipped.most_bytes + (1 << 20))
    assert len(bomb) < zipped.most_bytes / 500
    monkeypatch.setattr(zipfile.ZipFile, "read", None)  # nothing is unpacked
    server.serve(zipped.source.url, bomb)
    with pytest.raises(CorruptDataError, match=r"s.zip: .*'data.txt' unpacks to [\d,]+ bytes; allowed: [\d,]+"):
        fetch("zipped", places)
    assert leftovers() == []


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_lies_or_is_damaged_anywhere(zipped, server, places, leftovers, compression):
    """Every byte of it changed in turn, and the size that it states made smaller: one line, or the right table."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("data.txt", "x,y\n1,2\n3,4\n")
    good = stream.getvalue()
    for place in range(0, len(good), 7):
        server.serve(zipped.source.url, good[:place] + bytes([good[place] ^ 0x55]) + good[place + 1 :])
        try:
            fetch("zipped", places)
        except (CorruptDataError, DownloadError) as error:
            assert "\n" not in str(error) and leftovers() in (
                [],
                ["fingerprints.json"],
                ["fingerprints.json", "regression"],
            )
        else:
            assert load("zipped", places=places).y.tolist() == [2, 4]
            (places.root / FILE).unlink()


def test_a_compressed_table_that_unpacks_to_a_thousand_times_its_size(tiny, places):
    """As it may be put into a folder."""
    path = places.root / FILE
    path.parent.mkdir(parents=True)
    with gzip.open(path, "wb") as stream:
        stream.write(b"A,B,y\n1,2,3\n4,5,")
        for _ in range((tiny.most_bytes >> 20) + 1):
            stream.write(b"1" * (1 << 20))
    with pytest.raises(CorruptDataError, match=r"tiny.csv.gz: not a table \(unpacks to more than [\d,]+ bytes"):
        load("tiny", places=places)
