"""Compressed files of others, which hold far more than their size."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.data.tables import Unpacked, UnpackedSizeError, read_parquet


@pytest.mark.parametrize("limit", [None, 10**6, 2 * 10**6])
def test_a_file_of_the_size_that_it_may_have(tmp_path, limit):
    content = bytes(range(250)) * 4000
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    with Unpacked(tmp_path / "a.gz", limit) as stream:
        assert stream.read(10) + stream.read(0) + stream.read1(5) + stream.read() + stream.read() == content
    with io.TextIOWrapper(Unpacked(tmp_path / "a.gz", limit), encoding="latin1", newline="") as stream:
        assert stream.read().encode("latin1") == content


@pytest.mark.parametrize("read", ["read", "read1"])
def test_one_byte_more(tmp_path, read):
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(10**6)))
    with (
        Unpacked(tmp_path / "a.gz", 10**6 - 1) as stream,
        pytest.raises(UnpackedSizeError, match="unpacks to more than 999,999 bytes"),
    ):
        while getattr(stream, read)(-1):
            pass


def frame(texts, rows):
    lists = pa.array([[1.0, 2.0]] * rows)
    return pa.table({"x": np.arange(rows), "text": texts, "list": lists, "raw": pa.array([b"ab"] * rows)})


def test_what_is_within_the_limit_is_as_arrow_reads_it(tmp_path):
    table = frame(["one", None, "", "one", "\N{SNOWMAN}"] * 100, 500)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=170)
    assert read_parquet(tmp_path / "a.parquet", 10**6).equals(pq.read_table(tmp_path / "a.parquet"))
    content = pa.BufferReader((tmp_path / "a.parquet").read_bytes())
    assert read_parquet(content, 10**6, page_checksum_verification=True).equals(table)
    assert read_parquet(tmp_path / "a.parquet").equals(table)


def test_one_long_text_repeated(tmp_path):
    """A megabyte once, and 100,000 references to it: 100 GB in a file of a few kilobytes."""
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["x" * 10**6]))
    pq.write_table(pa.table({"text": codes}), tmp_path / "a.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    with pytest.raises(UnpackedSizeError, match=r"unpacks to 100,000,000,000 bytes; allowed: 1,073,741,824"):
        read_parquet(tmp_path / "a.parquet", 2**30)


def test_one_long_text_repeated_in_lists(tmp_path):
    pq.write_table(pa.table({"text": [["x" * 10**5] * 30] * 4}), tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(UnpackedSizeError, match=r"unpacks to [\d,]+ bytes; allowed: 10,000,000"):
        read_parquet(tmp_path / "a.parquet", 10**7)
    pq.write_table(pa.table({"text": [["x", None], []] * 400}), tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet", 10**6).num_rows == 800


@pytest.mark.parametrize("values", [np.zeros(10**7), [[0.0] * 1000] * 10**4])
def test_one_number_repeated(tmp_path, values, monkeypatch):
    pq.write_table(pa.table({"x": pa.array(values)}), tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 60_000
    monkeypatch.setattr(pq.ParquetFile, "read", None)  # nothing is decoded
    with pytest.raises(UnpackedSizeError, match="allowed: 1,000,000"):
        read_parquet(tmp_path / "a.parquet", 10**6)
