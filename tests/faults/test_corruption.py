"""Bits that flip and files that are cut short: what was damaged is named or counts as missing, and is made again.

In every case a search or a cell ends with the records of one that nothing disturbed, or refuses to begin.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core.study.replay
from core import minimize
from core.experiment.runner import run_cell
from core.foundation.errors import UserError
from tests.core.study.bowl import SPACE, bowl, outcomes
from tests.faults.searches import SEARCHES, Counted, expected_of, search
from tests.faults.tally import FAULTS
from tests.faults.toy_cell import CELL, Experiment, others, records, shards

pytestmark = pytest.mark.slow


def damaged(content: bytes, number: int) -> Iterator[bytes]:
    """So many times the content: with a random bit flipped, every third time cut short at a random byte."""
    generator = np.random.default_rng()
    for count in range(number):
        place = int(generator.integers(len(content)))
        changed = bytes([content[place] ^ 1 << int(generator.integers(8))]) + content[place + 1 :]
        yield content[:place] + (b"" if count % 3 == 2 else changed)


def test_the_records_of_a_cell(tmp_path):
    """A bit in the name of the checksum is the only one whose flip changes nothing and goes unnoticed."""
    run_cell(CELL, Experiment(), tmp_path)
    path, expected = CELL.path(tmp_path), records(tmp_path)
    whole = path.read_bytes()
    for content in damaged(whole, FAULTS["damaged records"]):
        path.write_bytes(content)
        said: list[str] = []
        run_cell(CELL, again := Experiment(), tmp_path, say=said.append)
        assert again.begun in ([], [0, 10, 20])
        assert bool(again.begun) == any(str(path) in line for line in said)
        pd.testing.assert_frame_equal(records(tmp_path), expected, check_exact=True)
        assert others(tmp_path) == []


def test_the_shards_of_a_cell(tmp_path):
    run_cell(CELL, Experiment(), tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run_cell(CELL, Experiment(interrupt_at=20), tmp_path / "part")
    whole = shards(tmp_path / "part")[1].read_bytes()
    for number, content in enumerate(damaged(whole, FAULTS["damaged shards"])):
        root = tmp_path / str(number)
        shutil.copytree(tmp_path / "part", root)
        shards(root)[1].write_bytes(content)
        run_cell(CELL, again := Experiment(), root)
        assert again.begun in ([20], [10, 20])
        pd.testing.assert_frame_equal(records(root), records(tmp_path / "whole"), check_exact=True)


@pytest.mark.parametrize("kind", SEARCHES)
def test_the_journal_of_a_search(tmp_path, kind):
    """It is refused by its name and left as it is, or lacks its last lines, whose evaluations are made again."""
    expected, path = expected_of(kind), tmp_path / "run.jsonl"
    search(kind, path)
    whole = path.read_bytes()
    for content in damaged(whole, FAULTS["damaged journals"] // len(SEARCHES)):
        path.write_bytes(content)
        counted = Counted()
        try:
            assert outcomes(search(kind, path, counted)) == expected
        except UserError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            assert counted.calls == 0 and path.read_bytes() == content
        else:
            kept = content[: content.rfind(b"\n") + 1]
            assert whole.startswith(kept) and counted.calls == len(expected) - kept.count(b'{"told": ')


VANISHING = (Path.unlink, lambda path: path.write_bytes(b""), lambda path: path.rename(path.with_name("other")))
"""What becomes of a journal while it is written: it is deleted, emptied or renamed."""


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_journal_that_vanishes(tmp_path, kind):
    """At a random evaluation: the search stops, tells where all lines are, and repeats nothing once they are back."""
    expected, generator = expected_of(kind), np.random.default_rng()
    for number in range(FAULTS["journals that vanish"] // len(SEARCHES)):
        path, at = tmp_path / f"{number}.jsonl", int(generator.integers(1, len(expected) + 1))
        vanishing, happens = Counted(), VANISHING[number % len(VANISHING)]
        count = vanishing.count

        def counting(path=path, at=at, count=count, vanishing=vanishing, happens=happens) -> None:
            count()
            if vanishing.calls == at:
                happens(path)

        vanishing.count = counting
        with pytest.raises(UserError, match="was deleted, replaced or changed by another program") as caught:
            search(kind, path, vanishing)
        subprocess.run(re.search("`(.*)`", str(caught.value))[1], shell=True, check=True)
        rest = Counted()
        assert outcomes(search(kind, path, rest)) == expected and vanishing.calls + rest.calls == len(expected)


def test_the_states_of_trainings(tmp_path):
    """The search is killed when the last rung begins; of the state that it goes on from a bit has flipped."""
    expected, folder = expected_of("checkpoints"), tmp_path / "part"
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        search("checkpoints", folder / "run.jsonl", Counted(interrupt_at=10))
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*.state")) if "-1.0" in path.name]
    assert names
    each = FAULTS["damaged states of trainings"] // 10
    for number in range(10):
        name = names[number % len(names)]
        for content in damaged((folder / name).read_bytes(), each):
            shutil.copytree(folder, tmp_path / "run")
            (tmp_path / "run" / name).write_bytes(content)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                assert outcomes(search("checkpoints", tmp_path / "run" / "run.jsonl")) == expected
            shutil.rmtree(tmp_path / "run")


def test_the_states_of_optimizers(tmp_path, monkeypatch):
    """A state beside the journal spares its model; one that was damaged does not, and changes nothing."""
    monkeypatch.setattr(core.study.replay, "WORTH_SECONDS", 0.0)
    expected, folder = expected_of("tpe"), tmp_path / "part"
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        search("tpe", folder / "run.jsonl", Counted(interrupt_at=10))
    whole = (folder / ".run.jsonl.state").read_bytes()
    for content in damaged(whole, FAULTS["damaged states of optimizers"]):
        shutil.copytree(folder, tmp_path / "run")
        (tmp_path / "run" / ".run.jsonl.state").write_bytes(content)
        counted = Counted()
        assert outcomes(search("tpe", tmp_path / "run" / "run.jsonl", counted)) == expected
        assert counted.calls == len(expected) - 9
        shutil.rmtree(tmp_path / "run")


def test_a_file_that_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "notes"
    for content in (b"notes\n", b"\0" * 5000, b"[" * 5000 + b"\n"):
        path.write_bytes(content)
        with pytest.raises(UserError, match="notes: "):
            minimize(bowl, SPACE, "random", 3, journal=path, progress=False)
        assert path.read_bytes() == content
