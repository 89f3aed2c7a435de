"""Raw-run files: whole or not at all, and one clear error for anything else."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import UserError
from core.experiment.storage import (
    METADATA_KEY,
    REQUIRED,
    SEAL_KEY,
    ResultFileError,
    copy_records,
    read_provenance,
    read_records,
    write_records,
)

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
    assert set(pq.read_metadata(path).metadata) == {METADATA_KEY, SEAL_KEY, b"pandas"}


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
