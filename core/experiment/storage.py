"""Raw-run files: Parquet with the provenance in its metadata, written whole or not at all, checked on every reading.

A file is written under a temporary name in its own folder, flushed to disk and renamed, so a reader sees the old file,
the new one or none. The columns are `run` (repetition), `status` ("ok" or "failed"), `message`, and the experiment's
own. The provenance is one JSON object under the key `replication`.

Checksums cover every byte: Parquet's own cover its pages of values, but neither their headers nor its footer, where a
flipped bit can change records silently. A file carries the SHA-256 of all its bytes, computed with zeros in place of
the 64 digits themselves. Older shipped files are listed in results/reference/checksums, as written by sha256sum.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.data.tables import UnpackedSizeError, read_parquet
from core.experiment.old_columns import todays_names
from core.foundation.errors import UserError
from core.foundation.files import cannot_be_written, write_whole

if TYPE_CHECKING:
    import pandas as pd


METADATA_KEY = b"replication"
SEAL_KEY = b"replication_checksum"
COLUMNS_KEY = b"replication_columns"
"""Files without it may have old names of columns."""
DAMAGED = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)
"""What Arrow and pandas raise on an incomplete file."""
NOT_PARQUET = "truncated or not a Parquet file"
LIMIT = 2**30
"""The most bytes that records may unpack to: hundreds of times the largest that are shipped."""
KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("python", "platform", "cpu", "device"), str),
    **dict.fromkeys(("settings", "packages", "read"), dict),
    **dict.fromkeys(("overrides", "formerly", "migrated"), list),
    **dict.fromkeys(("wall_seconds", "peak_memory_mb"), (int, float)),
    "runs": int,
}
"""What parts of the provenance are, where a file has them."""
REQUIRED = ("settings_hash", "runs", "commit", "seeds", "wall_seconds", "peak_memory_mb")


class ResultFileError(UserError):
    """A raw-run file that is truncated, not Parquet, or lacks what every raw-run file has."""


def write_records(path: str | Path, records: pd.DataFrame, provenance: dict[str, Any]) -> None:
    """Write records (one row per repetition and item) atomically.

    Raises:
        UserError: no space left on the device, or the folder cannot be written; nothing is left behind.
    """
    write_table(path, pa.Table.from_pandas(records, preserve_index=False), provenance)


def write_table(path: str | Path, table: pa.Table, provenance: dict[str, Any]) -> None:
    """The same for an Arrow table; raises as `write_records`."""
    path = Path(path)
    notes = {METADATA_KEY: json.dumps(provenance, sort_keys=True), SEAL_KEY: UNSEALED, COLUMNS_KEY: b"trace"}
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), **notes})
    write_whole(path, lambda stream: stream.write(seal(_encoded(table))), _explain_write_error)


def copy_records(source: Path, target: Path) -> None:
    """Copy a raw-run file atomically; raises as `write_records`."""
    with open(source, "rb") as original:
        write_whole(target, lambda stream: shutil.copyfileobj(original, stream), _explain_write_error)


def read_records(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Records and provenance of a raw-run file.

    Raises:
        ResultFileError: truncated, not a Parquet file, or without provenance.
        FileNotFoundError: no such file.
    """
    table, provenance = read_table(path)
    try:
        return table.to_pandas(use_threads=False), provenance
    except Exception as error:  # whatever pandas raises on notes of its own that it did not write
        raise ResultFileError(_explain_read_error(Path(path), error)) from error


def read_table(path: str | Path) -> tuple[pa.Table, dict[str, Any]]:
    """The same as an Arrow table, without pandas, columns by today's names; raises as `read_records`."""
    path = Path(path)
    content = _read_checked(path)
    try:
        table = read_parquet(pa.BufferReader(content), LIMIT, page_checksum_verification=True)
    except UnpackedSizeError as error:
        raise ResultFileError(_unreadable(path, str(error))) from error
    except DAMAGED as error:
        raise ResultFileError(_explain_read_error(path, error)) from error
    provenance = _provenance(path, table.schema)
    if COLUMNS_KEY not in table.schema.metadata:
        table = table.rename_columns(todays_names(table.column_names))
    if missing := {"run", "status", "message"} - set(table.column_names):
        raise ResultFileError(_unreadable(path, f"without the columns {sorted(missing)}"))
    if len(set(table.column_names)) < table.num_columns:
        raise ResultFileError(_unreadable(path, "with two columns of one name"))
    kinds = {name: table.schema.field(name).type for name in ("run", "status", "message")}
    wrong = [name for name, kind in kinds.items() if not (pa.types.is_integer if name == "run" else _is_text)(kind)]
    if wrong:
        raise ResultFileError(_unreadable(path, f"with a column {wrong[0]!r} of {kinds[wrong[0]]}"))
    return table, provenance


def read_provenance(path: str | Path) -> dict[str, Any]:
    """The provenance alone, without decoding the records; raises as `read_records`."""
    path = Path(path)
    content = _read_checked(path)
    try:
        schema = pq.read_schema(pa.BufferReader(content))
    except DAMAGED as error:
        raise ResultFileError(_explain_read_error(path, error)) from error
    return _provenance(path, schema)


def _encoded(table: pa.Table) -> bytes:
    columns = dict(_leaf(name, table[name]) for name in table.column_names)
    split = [path for path, values in columns.items() if _mostly_differ(values)]
    stream = pa.BufferOutputStream()
    options = {
        "compression": "zstd",
        "compression_level": 9,
        "use_dictionary": [path for path in columns if path not in split],
        "use_byte_stream_split": split,
        "write_page_checksum": True,
        "store_schema": False,  # Arrow's copy of the schema would repeat the provenance: half of a file of short runs
    }
    with pq.ParquetWriter(stream, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(table.schema.metadata)
    return stream.getvalue().to_pybytes()


def _leaf(path: str, column: pa.ChunkedArray) -> tuple[str, pa.ChunkedArray]:
    """Parquet's path to the numbers of a column, which may be of lists, and the numbers."""
    import pyarrow.compute as pc  # takes time that readers do not need to spend

    while pa.types.is_list(column.type):
        path, column = f"{path}.list.element", pc.list_flatten(column)
    return path, column


def _mostly_differ(column: pa.ChunkedArray) -> bool:
    """Whether a column has floats most of which occur once: byte by byte these compress to half their size.

    Half precision has too few numbers for that, so there it is decided by the type.
    """
    import pyarrow.compute as pc

    if pa.types.is_float16(column.type):
        return True
    return pa.types.is_floating(column.type) and 2 * pc.count_distinct(column).as_py() > len(column)


def _read_checked(path: Path) -> bytes:
    """The file's content, read once: it may be replaced meanwhile."""
    try:
        content = path.read_bytes()
        if is_whole(path, content):
            return content
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ResultFileError(_explain_read_error(path, error)) from error
    what = "damaged: its checksum is not that of its content" if content[-4:] == b"PAR1" else NOT_PARQUET
    raise ResultFileError(_unreadable(path, what))


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)


def _provenance(path: Path, schema: pa.Schema) -> dict[str, Any]:
    try:
        provenance = json.loads((schema.metadata or {}).get(METADATA_KEY, b"null"))
    except (ValueError, RecursionError):
        provenance = None
    if not isinstance(provenance, dict) or not set(REQUIRED) <= set(provenance):
        raise ResultFileError(_unreadable(path, "a Parquet file without the provenance of a raw run"))
    for name, value in provenance.items():
        kind = KINDS.get(name)
        if kind is not None and not (isinstance(value, kind) and not isinstance(value, bool)):
            raise ResultFileError(_unreadable(path, f"its provenance has {name} = {json.dumps(value)[:60]}"))
    counted = [provenance[name] for name in ("runs", "wall_seconds", "peak_memory_mb")]
    if not all(0 <= number < math.inf for number in counted):
        raise ResultFileError(_unreadable(path, f"its provenance has runs, seconds and MiB of {counted}"[:200]))
    nested = provenance.get("read", {}).values()
    texts = [*provenance.get("overrides", []), *provenance.get("formerly", [])]
    if not all(isinstance(each, dict) for each in nested) or not all(isinstance(each, str) for each in texts):
        raise ResultFileError(_unreadable(path, "its provenance has files read or overrides of another form"))
    return provenance


def _explain_read_error(path: Path, error: Exception) -> str:
    if getattr(error, "errno", None):  # an error of the file system, not of the decoder
        return f"{path}: cannot be read: {os.strerror(error.errno)}"
    return _unreadable(path, NOT_PARQUET)


def _unreadable(path: Path, what: str) -> str:
    return f"{path}: {what}; delete it and rerun its cell, or restore it with git"


def _explain_write_error(path: Path, error: OSError) -> str:
    kept = "finished shards are kept, free some space and rerun the same command"
    return cannot_be_written(path, error, when_full=kept)


SEAL = b"SHA-256 of this file with zeros from here on: "
DIGITS = 64
UNSEALED = SEAL + b"0" * DIGITS
"""The placeholder that a file contains once, until `seal` fills in the digits."""
SHIPPED, CHECKSUMS = "reference", "checksums"


def seal(content: bytes) -> bytes:
    """The content with the digits filled in.

    Raises:
        ValueError: it does not contain `UNSEALED`, or contains `SEAL` twice.
    """
    if (content.count(SEAL), content.count(UNSEALED)) != (1, 1):
        raise ValueError(f"content: has the place for a checksum {content.count(SEAL)} times; allowed: once")
    place = content.index(UNSEALED) + len(SEAL)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + DIGITS :]


def is_whole(path: Path, content: bytes) -> bool:
    """Whether a file's content is what was written, by its own digits or by the list in the folder of shipped runs.

    A shipped file must carry its own checksum or be in the list, if there is one. Elsewhere a file without a checksum
    passes.
    """
    place = content.rfind(SEAL) + len(SEAL)
    if place >= len(SEAL):
        digits = content[place : place + DIGITS]
        blank = content[:place] + b"0" * len(digits) + content[place + DIGITS :]
        return hashlib.sha256(blank).hexdigest().encode() == digits
    folder = next((parent for parent in path.parents if parent.name == SHIPPED), None)
    if folder is None or not (folder / CHECKSUMS).is_file():
        return True
    listed = _listed(folder / CHECKSUMS, (folder / CHECKSUMS).stat().st_mtime_ns)
    return listed.get(path.relative_to(folder).as_posix()) == hashlib.sha256(content).hexdigest()


@cache
def _listed(file: Path, modified: int) -> dict[str, str]:
    """Digests by the names of files; the list is read once per version."""
    lines = file.read_text(errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
