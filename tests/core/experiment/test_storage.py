"""Raw-run files: whole or not at all, and one clear error for anything else."""

from __future__ import annotations

import errno
import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.experiment.storage import (
    COLUMNS_KEY,
    METADATA_KEY,
    REQUIRED,
    SEAL_KEY,
    ResultFileError,
    copy_records,
    read_provenance,
    read_records,
    write_records,
)
from core.foundation.errors import UserError

PROVENANCE = dict.fromkeys(REQUIRED, 1) | {"seeds": {"shared/split": {"0": 2**62}}, "commit": "äß"}


def records(rows: int = 20, value: float | None = None) -> pd.DataFrame:
    values = np.random.default_rng(rows).normal(size=rows) if value is None else np.full(rows, value)
    return pd.DataFrame({"run": range(rows), "status": "ok", "message": "", "value": values})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results" / "plain.parquet"


def test_what_is_written_is_read(path):
    frame = records().assign(draws=[np.arange(3.0)] * 20, label="a", missing=np.nan)
    write_records(path, frame, PROVENANCE)
    again, provenance = read_records(path)
    pd.testing.assert_frame_equal(again, frame, check_exact=True)
    assert provenance == read_provenance(path) == PROVENANCE
    assert [file.name for file in path.parent.iterdir()] == ["plain.parquet"]


def test_the_index_is_not_stored(path):
    write_records(path, records().iloc[5:10], PROVENANCE)
    assert list(read_records(path)[0].index) == [0, 1, 2, 3, 4]


def test_the_folders_of_a_path_add_no_columns(tmp_path):
    """Arrow would read `points=3` as a partition; an ablation's folder is called so."""
    path = tmp_path / "points=3" / "value=x" / "plain.parquet"
    write_records(path, records(), PROVENANCE)
    assert list(read_records(path)[0].columns) == ["run", "status", "message", "value"]


class TestAtomic:
    FAILURES = (
        ("os.fsync", OSError(errno.ENOSPC, "No space left on device"), "no space left on the device"),
        ("os.replace", OSError(errno.EACCES, "Permission denied"), "cannot be written: Permission denied"),
        (
            "pyarrow.parquet.ParquetWriter.write_table",
            OSError(errno.EDQUOT, "Disk quota exceeded"),
            "no space left on the device",
        ),
    )

    @pytest.mark.parametrize("function, error, message", FAILURES)
    def test_a_failure_leaves_the_old_file_and_nothing_else(self, path, monkeypatch, function, error, message):
        write_records(path, records(value=1.0), PROVENANCE)
        monkeypatch.setattr(function, raiser(error))
        with pytest.raises(UserError) as caught:
            write_records(path, records(value=2.0), PROVENANCE)
        monkeypatch.undo()
        assert str(path) in str(caught.value)
        assert message in str(caught.value)
        assert (read_records(path)[0]["value"] == 1).all()
        assert [file.name for file in path.parent.iterdir()] == ["plain.parquet"]

    @pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), RuntimeError("a defect")])
    def test_any_other_exception_passes_and_leaves_nothing(self, path, monkeypatch, error):
        monkeypatch.setattr("os.fsync", raiser(error))
        with pytest.raises(type(error)):
            write_records(path, records(), PROVENANCE)
        assert list(path.parent.iterdir()) == []

    def test_a_copy_that_fails_leaves_nothing(self, path, tmp_path, monkeypatch):
        write_records(path, records(), PROVENANCE)
        monkeypatch.setattr("shutil.copyfileobj", raiser(OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(UserError, match="no space left"):
            copy_records(path, tmp_path / "copy" / "plain.parquet")
        assert list((tmp_path / "copy").iterdir()) == []

    def test_a_file_where_the_folder_should_be(self, tmp_path):
        (tmp_path / "results").touch()
        with pytest.raises(UserError, match=r"plain\.parquet: cannot be written: (File exists|Not a directory)"):
            write_records(tmp_path / "results" / "plain.parquet", records(), PROVENANCE)
        with pytest.raises(UserError, match="cannot be written: Not a directory"):
            write_records(tmp_path / "results" / "deeper" / "plain.parquet", records(), PROVENANCE)

    def test_a_reader_never_sees_a_half_file(self, path):
        """A writer replaces the file a hundred times while it is read: each reading is one of the two contents."""
        write_records(path, records(10, 10.0), PROVENANCE)
        done = threading.Event()

        def write() -> None:
            try:
                for i in range(100):
                    rows = (3000, 10)[i % 2]
                    write_records(path, records(rows, float(rows)), PROVENANCE | {"runs": rows})
            finally:
                done.set()

        writer = threading.Thread(target=write)
        writer.start()
        readings = set()
        while not done.is_set():
            frame, _ = read_records(path)
            assert (frame["value"] == len(frame)).all()
            readings.add(len(frame))
        writer.join()
        assert readings <= {10, 3000}


class TestUnreadable:
    @pytest.mark.parametrize("read", [read_records, read_provenance])
    def test_truncated_anywhere(self, path, read):
        write_records(path, records(), PROVENANCE)
        whole = path.read_bytes()
        for length in [*range(0, len(whole), 97), len(whole) - 1]:
            path.write_bytes(whole[:length])
            with pytest.raises(ResultFileError) as caught:
                read(path)
            assert str(caught.value).startswith(f"{path}: truncated or not a Parquet file; delete it and rerun")

    @pytest.mark.parametrize("content", [b"", b"run,status\n0,ok\n", b"PAR1PAR1", np.random.default_rng(0).bytes(4096)])
    def test_not_parquet(self, path, content):
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(ResultFileError, match="not a Parquet file; delete it and rerun its cell, or restore it"):
            read_records(path)

    @pytest.mark.parametrize(
        "metadata",
        [None, "", "{", "[]", "3", json.dumps({"settings_hash": "x"}), b"\xff"],
    )
    def test_without_provenance(self, path, metadata):
        path.parent.mkdir()
        table = pa.Table.from_pandas(records())
        pq.write_table(table if metadata is None else table.replace_schema_metadata({METADATA_KEY: metadata}), path)
        for read in (read_records, read_provenance):
            with pytest.raises(ResultFileError, match="a Parquet file without the provenance of a raw run"):
                read(path)

    def test_without_the_columns_every_file_has(self, path):
        write_records(path, records().drop(columns=["status", "message"]), PROVENANCE)
        with pytest.raises(ResultFileError, match=r"without the columns \['message', 'status'\]"):
            read_records(path)

    @pytest.mark.parametrize(
        "changes",
        [
            {"runs": True}, {"runs": -1}, {"runs": "3"}, {"runs": 1.5}, {"wall_seconds": float("nan")},
            {"wall_seconds": -1}, {"wall_seconds": [1]}, {"peak_memory_mb": float("inf")},
            {"settings": [1]}, {"settings": "x" * 10**6}, {"read": ["x"]}, {"read": {"x": "y"}},
            {"overrides": "a=1"}, {"overrides": [1]}, {"packages": []},
            {"device": 1}, {"formerly": [[]]},
        ],
    )  # fmt: skip
    def test_provenance_of_another_form(self, path, changes):
        write_records(path, records(), PROVENANCE | changes)
        for read in (read_records, read_provenance):
            with pytest.raises(ResultFileError, match="its provenance has ") as caught:
                read(path)
            assert "\n" not in str(caught.value) and len(str(caught.value)) < 500

    def test_notes_without_end(self, path):
        path.parent.mkdir()
        for text in ("[" * 200_000, '{"runs": ' + "[" * 200_000, "9" * 10**5):
            table = pa.Table.from_pandas(records()).replace_schema_metadata({METADATA_KEY: text})
            pq.write_table(table, path)
            with pytest.raises(ResultFileError, match="without the provenance of a raw run"):
                read_provenance(path)

    @pytest.mark.parametrize(
        "notes",
        [
            b"{", b"[]", b"3", b"[" * 10**5, b'{"columns": 3}', b'{"index_columns": ["absent"], "columns": []}',
            b'{"index_columns": [{"kind": "range", "start": 0, "stop": 9999999999999, "step": 0}], "columns": []}',
            b'{"index_columns": [], "column_indexes": [{"numpy_type": "object", "pandas_type": "bytes", "name": 1,'
            b' "field_name": 1, "metadata": 1}], "columns": [{"name": "run", "field_name": "run",'
            b' "pandas_type": "unicode", "numpy_type": "datetime64[ns, No/Where]", "metadata": null}]}',
            pickle.dumps({"columns": []}),
        ],
    )  # fmt: skip
    def test_pandas_own_notes_of_another_form(self, path, notes):
        """One line, or the records: they are notes on types, and nothing in them is run."""
        path.parent.mkdir()
        pq.write_table(
            pa.Table.from_pandas(records()).replace_schema_metadata(
                {METADATA_KEY: json.dumps(PROVENANCE), b"pandas": notes}
            ),
            path,
        )
        try:
            frame, _ = read_records(path)
        except ResultFileError as error:
            assert "\n" not in str(error)
        else:
            assert frame["value"].tolist() == records()["value"].tolist()

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"run": pa.array([0.5] * 3)}, "with a column 'run' of double"),
            ({"run": pa.array(["0"] * 3)}, "with a column 'run' of string"),
            ({"status": pa.array([1, 2, 3])}, "with a column 'status' of int64"),
            ({"message": pa.array([["x"]] * 3)}, "with a column 'message' of list"),
        ],
    )
    def test_columns_of_another_kind(self, path, columns, message):
        table = pa.table({"run": [0, 1, 2], "status": ["ok"] * 3, "message": [""] * 3} | columns)
        path.parent.mkdir()
        pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(PROVENANCE)}), path)
        with pytest.raises(ResultFileError, match=message):
            read_records(path)

    def test_two_columns_of_one_name(self, path):
        names = ["run", "value", "value", "status", "message"]
        table = pa.table([*[pa.array([0])] * 3, *[pa.array(["ok"])] * 2], names=names)
        path.parent.mkdir()
        pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(PROVENANCE)}), path)
        with pytest.raises(ResultFileError, match="two columns of one name"):
            read_records(path)

    def test_a_small_file_of_many_records(self, path):
        """A hundred billion bytes of messages: a megabyte, repeated."""
        rows = 100_000
        text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * 10**6]))
        table = pa.table({"run": np.zeros(rows, int), "status": ["ok"] * rows, "message": text})
        path.parent.mkdir()
        with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata({METADATA_KEY: json.dumps(PROVENANCE)})
        assert path.stat().st_size < 20_000
        with pytest.raises(ResultFileError, match=r"unpacks to 100,\d{3},\d{3},\d{3} bytes; allowed: 1,073,741,824"):
            read_records(path)
        assert read_provenance(path) == PROVENANCE

    @pytest.mark.parametrize("read", [read_records, read_provenance])
    def test_absent_is_a_case_of_its_own(self, path, read):
        with pytest.raises(FileNotFoundError):
            read(path)

    def test_the_file_systems_own_errors_do_not_say_truncated(self, path, monkeypatch):
        write_records(path, records(), PROVENANCE)
        monkeypatch.setattr("pathlib.Path.read_bytes", raiser(OSError(errno.EIO, "Input/output error")))
        with pytest.raises(ResultFileError, match=r"plain\.parquet: cannot be read: Input/output error"):
            read_records(path)


def raiser(error: BaseException):
    def raise_it(*arguments, **options):
        raise error

    return raise_it


def test_floats_that_mostly_differ_are_stored_byte_by_byte(path):
    draws = np.random.default_rng(0).normal(size=(1000, 2, 3)).astype(np.float16)
    frame = records(1000).assign(repeated=np.arange(1000) % 3.0, lists=list(draws[:, 0]), nested=draws.tolist())
    write_records(path, frame, PROVENANCE)
    again = read_records(path)[0]
    plain = [name for name in frame if name not in ("lists", "nested")]
    pd.testing.assert_frame_equal(again[plain], frame[plain], check_dtype=False, check_exact=True)
    np.testing.assert_array_equal(np.stack(again["lists"]), draws[:, 0])
    np.testing.assert_array_equal(np.stack([np.stack(each) for each in again["nested"]]), draws)
    group = pq.ParquetFile(path).metadata.row_group(0)
    encodings = {column.path_in_schema: column.encodings for column in map(group.column, range(group.num_columns))}
    split = {path for path, found in encodings.items() if "BYTE_STREAM_SPLIT" in found}
    assert split == {"value", "lists.list.element", "nested.list.element.list.element"}


def test_the_provenance_is_stored_once(path):
    """Arrow by default writes a schema's metadata a second time, in base64."""
    write_records(path, records(), PROVENANCE)
    assert set(pq.read_metadata(path).metadata) == {METADATA_KEY, SEAL_KEY, COLUMNS_KEY, b"pandas"}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads where Linux lists them")
def test_reading_starts_no_pool_of_threads(path):
    """Arrow's pool aborts a process in a hundred when it ends, after all work is done."""
    write_records(path, records(), PROVENANCE)
    program = """
import os, sys
from pathlib import Path
from core.experiment.storage import read_records
before = len(os.listdir("/proc/self/task"))
read_records(Path(sys.argv[1]))
print(len(os.listdir("/proc/self/task")) - before)
"""
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout == "0\n"
