"""Files that people write, distorted at random: paper.yaml, published numbers and records work or end in one error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.experiment import SCALES
from core.experiment.finished import is_finished
from core.experiment.paper import Papers
from core.experiment.results import inspect_cell
from core.experiment.selection import find_cells
from core.experiment.storage import (
    METADATA_KEY,
    REQUIRED,
    ResultFileError,
    read_provenance,
    read_records,
    write_records,
)
from core.foundation.errors import UserError
from core.report.verdicts.names import published_numbers
from core.report.verdicts.published import read_published, read_published_spec
from core.report.verdicts.published import read_published_runs as read_published_runs
from tests.faults.toy_cell import CELL

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests" / "core" / "experiment" / "toy"
FEW = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
MANY = settings(max_examples=200, suppress_health_check=list(HealthCheck), deadline=None)

TEXTS = st.text(max_size=12) | st.sampled_from(
    ["toy", "fit", "line", "plain", "note", "quick", "paper", "a/b", "..", "~"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
DAMAGE = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["cut", "flip", "insert", "double"]), st.binary(min_size=1, max_size=4)),
    min_size=1,
    max_size=4,
)


def distorted(content: bytes, damage: list[tuple[float, str, bytes]]) -> bytes:
    """The content with bytes removed, changed, inserted or doubled in some places."""
    for where, how, new in damage:
        place = int(where * len(content))
        before, after = content[:place], content[place:]
        content = {
            "cut": before + after[len(new) * 5 :],
            "flip": before + bytes(a ^ b for a, b in zip(after[: len(new)], new)) + after[len(new) :],
            "insert": before + new + after,
            "double": before + after[:40] + after,
        }[how]
    return content


def works_or_says(action: Callable[[], Any]) -> None:
    """Any exception but a UserError of one line is a defect."""
    try:
        action()
    except UserError as error:
        assert "\n" not in str(error) and str(error).strip(), repr(str(error))


def read_all(papers: Papers) -> None:
    """Everything that the catalogue has to say about its paper."""
    for scale in SCALES:
        for cell in find_cells(papers, "toy", scale):
            assert cell.runs > 0 and cell.settings_hash
    for name in papers.artifacts:
        published_numbers(papers.artifact(name))


class TestPaperYaml:
    @pytest.fixture
    def place(self, toy, tmp_path) -> tuple[Callable[[], Papers], Path]:
        return toy, tmp_path / "toypapers" / "toy" / "paper.yaml"

    @FEW
    @given(damage=DAMAGE)
    def test_bytes(self, place, damage):
        toy, path = place
        path.write_bytes(distorted((TOY / "paper.yaml").read_bytes(), damage))
        works_or_says(lambda: read_all(toy()))

    @pytest.mark.slow
    @MANY
    @given(data=st.data())
    def test_values(self, place, data):
        """One or two values, wherever they are, become something else; or a key does, or disappears."""
        toy, path = place
        content = yaml.safe_load((TOY / "paper.yaml").read_text())
        for _ in range(data.draw(st.integers(1, 2))):
            parent, key = data.draw(st.sampled_from(places_in(content)))
            how = data.draw(st.sampled_from(["value", "key", "gone"]))
            if how == "value" or isinstance(parent, list):
                parent[key] = data.draw(VALUES)
            else:
                value = parent.pop(key)
                if how == "key":
                    parent[data.draw(st.none() | st.integers() | TEXTS)] = value
        path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        works_or_says(lambda: read_all(toy()))


def places_in(content: Any) -> list[tuple[Any, Any]]:
    """All pairs of a mapping or list and a key in it."""
    if isinstance(content, dict):
        return [pair for key in content for pair in ((content, key), *places_in(content[key]))]
    if isinstance(content, list):
        return [pair for key in range(len(content)) for pair in ((content, key), *places_in(content[key]))]
    return []


PUBLISHED = sorted(ROOT.glob("papers/*/published/*.csv"), key=lambda path: path.stat().st_size)
RUNS = [path for path in PUBLISHED if path.stem.endswith("_runs")][:6]
NUMBERS = [path for path in PUBLISHED if not path.stem.endswith("_runs")][:60:6]


class TestPublished:
    @MANY
    @given(path=st.sampled_from(NUMBERS), damage=DAMAGE)
    def test_numbers(self, tmp_path, path, damage):
        (tmp_path / "table.csv").write_bytes(distorted(path.read_bytes(), damage))
        works_or_says(lambda: read_published(tmp_path / "table.csv"))
        works_or_says(lambda: read_published_spec(tmp_path / "table.csv"))

    @FEW
    @given(path=st.sampled_from(RUNS), damage=DAMAGE)
    def test_runs(self, tmp_path, path, damage):
        (tmp_path / "a_runs.csv").write_bytes(distorted(path.read_bytes(), damage))
        read_published_runs.cache_clear()
        works_or_says(lambda: read_published_runs(tmp_path / "a_runs.csv"))

    @FEW
    @given(cells=st.lists(st.lists(TEXTS, min_size=1, max_size=9), min_size=1, max_size=4))
    def test_names_of_the_toys(self, toy, tmp_path, cells):
        path = tmp_path / "toypapers" / "toy" / "published" / "table1.csv"
        header = (TOY / "published" / "table1.csv").read_text().splitlines()[0]
        with open(path, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(header + "\n" + "".join(",".join(row) + "\n" for row in cells))
        works_or_says(lambda: published_numbers(toy().paper("toy").artifact("table1")))


class TestRecords:
    COLUMNS = st.dictionaries(
        TEXTS,
        st.lists(st.integers(-5, 5) | st.none(), min_size=3, max_size=3)
        | st.lists(st.floats(), min_size=3, max_size=3)
        | st.lists(TEXTS, min_size=3, max_size=3),
        max_size=4,
    )

    @pytest.mark.slow
    @MANY
    @given(
        columns=COLUMNS,
        whole=st.booleans(),
        provenance=VALUES | st.fixed_dictionaries(dict.fromkeys(REQUIRED, VALUES)),
    )
    def test_parquet_files_of_others(self, tmp_path, columns, whole, provenance):
        """With any columns and anything in place of their provenance."""
        path = CELL.path(tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"run": [0, 1, 2], "status": ["ok"] * 3, "message": [""] * 3} if whole else {}
        table = pa.table({**columns, **kept})
        pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(provenance, default=str)}), path)
        for action in (lambda: read_records(path), lambda: read_provenance(path)):
            works_or_says(action)
        works_or_says(lambda: inspect_cell(CELL, tmp_path, "run"))
        is_finished(CELL, tmp_path)

    @FEW
    @given(damage=DAMAGE)
    def test_distorted_ones(self, tmp_path, damage):
        """They are refused, since their checksum is that of every byte."""
        path = CELL.path(tmp_path)
        frame = pd.DataFrame({"run": [0, 1], "status": "ok", "message": "", "value": [0.5, 0.25]})
        write_records(path, frame, dict.fromkeys(REQUIRED, 1))
        whole = path.read_bytes()
        path.write_bytes(distorted(whole, damage))
        try:
            pd.testing.assert_frame_equal(read_records(path)[0], frame, check_exact=True)
        except ResultFileError as error:
            assert str(error).startswith(f"{path}: ")
