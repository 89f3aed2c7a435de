"""Raw-run files: Parquet with the provenance in its metadata, written whole or not at all.

A file is written under a temporary name in its own folder, flushed to disk and renamed, so a reader sees the old file,
the new one or none. The columns are `run` (repetition), `status` ("ok" or "failed"), `message`, and the experiment's
own. The provenance is one JSON object under the key `replication`.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import UserError
from core.files import cannot_be_written, write_whole

METADATA_KEY = b"replication"
DAMAGED = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)
"""What Arrow and pandas raise on a file that is not whole."""
REQUIRED = ("settings_hash", "runs", "commit", "seeds", "wall_seconds", "peak_memory_mb")


class ResultFileError(UserError):
    """A raw-run file that is truncated, not Parquet, or lacks what every raw-run file has."""


def write_records(path: Path, records: pd.DataFrame, provenance: dict[str, Any]) -> None:
    """Write records (one row per repetition and item) atomically.

    Raises:
        UserError: no space left on the device, or the folder cannot be written; nothing is left behind.
    """
    table = pa.Table.from_pandas(records, preserve_index=False)
    table = table.replace_schema_metadata(
        {**(table.schema.metadata or {}), METADATA_KEY: json.dumps(provenance, sort_keys=True)}
    )
    options = {"compression": "zstd", "compression_level": 9, "write_page_checksum": True}
    write_whole(path, lambda stream: pq.write_table(table, stream, **options), _explain_write_error)


def copy_records(source: Path, target: Path) -> None:
    """Copy a raw-run file atomically; raises as `write_records`."""
    with open(source, "rb") as original:
        write_whole(target, lambda stream: shutil.copyfileobj(original, stream), _explain_write_error)


def remove_temporaries(path: Path) -> None:
    """Remove what writers of `path` that were killed have left; only for the one that may write it now."""
    for temporary in path.parent.glob(f".{path.name}.*.tmp"):
        temporary.unlink(missing_ok=True)


def read_records(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Records and provenance of a raw-run file.

    Raises:
        ResultFileError: truncated, not a Parquet file, or without provenance.
        FileNotFoundError: no such file.
    """
    try:
        with open(path, "rb") as stream:  # once: Arrow opens a path twice, and it may be replaced in between
            table = pq.read_table(stream, page_checksum_verification=True)
        records = table.to_pandas()
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise ResultFileError(_explain_read_error(path, error)) from error
    provenance = _provenance(path, table.schema)
    if missing := {"run", "status", "message"} - set(records.columns):
        raise ResultFileError(_unreadable(path, f"without the columns {sorted(missing)}"))
    return records, provenance


def read_provenance(path: Path) -> dict[str, Any]:
    """Only the provenance, without reading the records; raises as `read_records`."""
    try:
        schema = pq.read_schema(path)
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise ResultFileError(_explain_read_error(path, error)) from error
    return _provenance(path, schema)


def _provenance(path: Path, schema: pa.Schema) -> dict[str, Any]:
    try:
        found = json.loads((schema.metadata or {}).get(METADATA_KEY, b"null"))
    except ValueError:
        found = None
    if not isinstance(found, dict) or not set(REQUIRED) <= set(found):
        raise ResultFileError(_unreadable(path, "a Parquet file without the provenance of a raw run"))
    return found


def _explain_read_error(path: Path, error: Exception) -> str:
    if getattr(error, "errno", None):  # the file system's, not the decoder's
        return f"{path}: cannot be read: {os.strerror(error.errno)}"
    return _unreadable(path, "truncated or not a Parquet file")


def _unreadable(path: Path, what: str) -> str:
    return f"{path}: {what}; delete it and rerun its cell, or restore it with git"


def _explain_write_error(path: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        folder = next(parent for parent in path.parents if parent.exists())
        free = shutil.disk_usage(folder).free / 2**20
        return (
            f"{path}: no space left on the device ({free:.1f} MiB free in {folder}); "
            "finished shards are kept, free some space and rerun the same command"
        )
    return cannot_be_written(path, error)
