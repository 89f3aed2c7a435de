"""Files of before there was one schema of searches are read with today's names of columns."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.experiment.old_columns import OLD_COLUMNS, todays_names
from core.experiment.paper import Papers
from core.experiment.storage import COLUMNS_KEY, METADATA_KEY, SEAL_KEY, UNSEALED, read_records, seal, write_records

NOTES = {"settings_hash": "a", "runs": 1, "commit": "c", "seeds": {}, "wall_seconds": 1.0, "peak_memory_mb": 1.0}
OLD = {"run": [0], "time": [2.5], "evaluations": [3], "budget": [1.0], "loss": [0.5], "status": ["ok"], "message": [""]}
TODAY = ["run", "finished", "evaluation", "budget", "loss", "status", "message"]


def test_an_old_file_is_read_with_todays_names_and_written_with_them(tmp_path):
    """What the file holds is as it was; a file that is written today may have any names."""
    path = tmp_path / "old.parquet"
    table = pa.Table.from_pandas(pd.DataFrame(OLD), preserve_index=False)
    notes = {METADATA_KEY: json.dumps(NOTES), SEAL_KEY: UNSEALED}
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **notes}), path)
    path.write_bytes(seal(path.read_bytes()))
    frame, _ = read_records(path)
    assert list(frame.columns) == TODAY and frame.to_numpy().tolist() == pd.DataFrame(OLD).to_numpy().tolist()
    write_records(path, frame, NOTES)
    assert list(read_records(path)[0].columns) == TODAY
    write_records(path, pd.DataFrame(OLD), NOTES)
    assert list(read_records(path)[0].columns) == list(OLD) and COLUMNS_KEY in pq.read_schema(path).metadata


@pytest.mark.parametrize(("known", "names"), OLD_COLUMNS, ids=lambda value: "+".join(sorted(value)))
def test_every_old_schema_is_shipped_and_becomes_another(known, names):
    shipped = [set(pq.read_schema(path).names) for path in (Papers().root / "results/reference").rglob("*.parquet")]
    assert any(known <= columns for columns in shipped), "no file has it any more"
    assert set(names) <= known and not set(names.values()) & known
    assert set(todays_names(sorted(known))) == (known - set(names)) | set(names.values())
