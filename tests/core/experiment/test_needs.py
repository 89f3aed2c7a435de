"""An experiment that reads another's records: what it is given, what is noted, and what is refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from core.experiment.cells import SHARD_RUNS
from core.experiment.context import Context
from core.experiment.finished import digest, is_finished
from core.experiment.provenance import FORMERLY
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import read_provenance, read_records, write_records
from core.experiment.verify import promote, require_promotable
from core.foundation.errors import UserError


@pytest.fixture
def needing(toy, edit):
    """The toy's papers, in which `count` reads what `fit` wrote."""
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit]\n")
    edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
    return toy()


def cells(papers, name: str, scale: str = "smoke"):
    return find_cells(papers, name, scale)


def run(papers, name: str, root: Path) -> list[Path]:
    return [run_cell(cell, papers.function(cell), root, say=[].append) for cell in cells(papers, name)]


def write_in_other_bytes(path: Path) -> None:
    """Write a file again with the digest that it had, as one whose records were encoded anew."""
    records, notes = read_records(path)
    write_records(path, records, {**notes, FORMERLY: [*notes.get(FORMERLY, []), digest(path)]})


def summarise(context: Context) -> pd.DataFrame:
    read = context.records("fit")
    return pd.DataFrame({"run": context.runs, "methods": [sorted(set(read["method"]))] * len(context.runs)}).assign(
        benchmark_read=read["benchmark"].iloc[0], rows=len(read), total=read["target"].sum()
    )


def test_records_of_all_methods_on_the_same_benchmark(needing, tmp_path):
    files = run(needing, "toy/fit", tmp_path)
    (cell,) = cells(needing, "toy/count")
    records, notes = read_records(run_cell(cell, summarise, tmp_path, say=[].append))
    assert list(records["methods"].iloc[0]) == ["noisy", "plain"]
    assert records["benchmark_read"].iloc[0] == "bundled"
    assert records["rows"].iloc[0] == sum(len(read_records(file)[0]) for file in files) == 4
    assert notes["read"] == {
        f"toy/fit/bundled/{method}": {
            "file": f"results/run/smoke/toy/fit/bundled/{method}.parquet",
            "digest": hashlib.sha256(file.read_bytes()).hexdigest()[:16],
            "commit": read_provenance(file)["commit"],
        }
        for method, file in zip(("plain", "noisy"), files, strict=True)
    }


def test_shipped_records_serve_where_there_are_no_own_ones(needing, tmp_path):
    files = run(needing, "toy/fit", tmp_path)
    for cell, file in zip(cells(needing, "toy/fit"), files, strict=True):
        shipped = cell.path(tmp_path, "reference")
        shipped.parent.mkdir(parents=True, exist_ok=True)
        file.rename(shipped)
    (cell,) = cells(needing, "toy/count")
    _, notes = read_records(run_cell(cell, summarise, tmp_path, say=[].append))
    assert all(read["file"].startswith("results/reference/") for read in notes["read"].values())


def test_of_a_longer_file_the_repetitions_of_the_scale_are_read(needing, tmp_path):
    for cell in cells(needing, "toy/fit"):
        run_cell(replace(cell, runs=7), needing.function(cell), tmp_path, say=[].append)
    (cell,) = cells(needing, "toy/count")
    assert read_records(run_cell(cell, summarise, tmp_path, say=[].append))[0]["rows"].iloc[0] == 4


def test_repetitions_that_read_other_records_are_not_joined(needing, tmp_path):
    """Two shards, an interruption between them, and other records when the run goes on: both are of the other ones."""
    first = run(needing, "toy/fit", tmp_path)[0]
    cell = replace(cells(needing, "toy/count")[0], runs=SHARD_RUNS + 1)

    def interrupted(context: Context) -> pd.DataFrame:
        if context.runs.start:
            raise KeyboardInterrupt
        return summarise(context)

    with pytest.raises(KeyboardInterrupt):
        run_cell(cell, interrupted, tmp_path, say=[].append)
    records, notes = read_records(first)
    write_records(first, records.assign(target=records["target"] + 1), notes)
    totals = read_records(run_cell(cell, summarise, tmp_path, say=[].append))[0]["total"]
    assert totals.nunique() == 1 and len(totals) == SHARD_RUNS + 1

    said = []
    write_records(first, records, notes)
    again = read_records(run_cell(cell, summarise, tmp_path, say=said.append))[0]["total"]
    assert again.iloc[0] == pytest.approx(totals.iloc[0] - len(records)) and "made from other records" in said[0]
    first.unlink()
    assert run_cell(cell, summarise, tmp_path, say=[].append).exists()  # what is finished stays so without them


def test_records_in_other_bytes_are_what_was_read(needing, tmp_path):
    """A needed file that names its earlier digest serves as before, until it is extended: then it is another one."""
    first = run(needing, "toy/fit", tmp_path)[0]
    (cell,) = cells(needing, "toy/count")
    run_cell(cell, summarise, tmp_path, say=[].append)
    assert is_finished(cell, tmp_path)
    write_in_other_bytes(first)
    assert is_finished(cell, tmp_path)
    write_in_other_bytes(first)
    assert is_finished(cell, tmp_path) and len(read_provenance(first)[FORMERLY]) == 2
    fit = cells(needing, "toy/fit")[0]
    run_cell(replace(fit, runs=2 * fit.runs), needing.function(fit), tmp_path, say=[].append)
    assert FORMERLY not in read_provenance(first)
    said = []
    assert not is_finished(cell, tmp_path, said.append) and "made from other records" in said[0]


def test_missing_records_name_the_command_that_makes_them(needing, tmp_path):
    (cell,) = cells(needing, "toy/count")
    with pytest.raises(UserError, match=r"python -m papers run toy/fit/bundled/plain --scale smoke$"):
        run_cell(cell, summarise, tmp_path, say=[].append)
    assert not cell.path(tmp_path).exists()


@pytest.mark.parametrize("old, new", [("settings: {points: 2}", "settings: {points: 3}"), ("runs: 2\n", "runs: 3\n")])
def test_records_of_other_settings_or_of_fewer_repetitions_do_not_serve(needing, toy, edit, tmp_path, old, new):
    run(needing, "toy/fit", tmp_path)
    edit(old, new)
    (cell,) = cells(toy(), "toy/count")
    with pytest.raises(UserError, match=r"neither .* nor .* has all its repetitions with today's settings"):
        run_cell(cell, summarise, tmp_path, say=[].append)


def test_an_experiment_that_is_not_needed_is_not_read(needing, tmp_path):
    run(needing, "toy/fit", tmp_path)
    (cell,) = cells(needing, "toy/count")
    with pytest.raises(UserError, match=r"reads records of 'fits', but its `needs` in paper.yaml are \['fit'\]"):
        run_cell(cell, lambda context: context.records("fits"), tmp_path, say=[].append)


def test_the_hash_covers_the_settings_of_what_is_read(needing, toy, edit):
    before = {cell.name: cell.settings_hash for cell in cells(needing, "toy")}
    edit("settings: {points: 2}", "settings: {points: 3}")
    after = {cell.name: cell.settings_hash for cell in cells(toy(), "toy")}
    assert before.keys() == after.keys()
    assert all(before[name] != after[name] for name in before)


def test_the_hash_covers_how_many_repetitions_are_read(needing, toy, edit):
    (before,) = cells(needing, "toy/count")
    edit("        runs: 2\n", "        runs: 4\n")
    (after,) = cells(toy(), "toy/count")
    assert after.needs[0].settings_hash == before.needs[0].settings_hash
    assert after.settings_hash != before.settings_hash


@pytest.mark.parametrize("name", ["count", "nothing"])
def test_only_experiments_above_can_be_needed(toy, edit, name):
    edit("    description: one integer a run\n", f"    description: one integer a run\n    needs: [{name}]\n")
    with pytest.raises(UserError, match=rf"experiments.count.needs: \['{name}'\] must be experiments above it"):
        toy().paper("toy")


def test_a_benchmark_that_the_needed_experiment_lacks(toy, edit):
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit]\n")
    with pytest.raises(UserError, match=r"experiments.count.needs: 'fit' has no benchmark 'line' at scale smoke"):
        toy().paper("toy")


def test_records_of_all_benchmarks(toy, edit, tmp_path):
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit/*]\n")
    papers = toy()
    run(papers, "toy/fit", tmp_path)
    (cell,) = cells(papers, "toy/count")
    assert cell.benchmark not in {needed.benchmark for needed in cell.needs}
    records, notes = read_records(run_cell(cell, lambda c: count_rows(c, "fit"), tmp_path, say=[].append))
    assert records["rows"].iloc[0] == 4
    assert set(notes["read"]) == {needed.name for needed in cells(papers, "toy/fit")}


class TestPromoting:
    """What is shipped was made from what is shipped."""

    @pytest.fixture
    def made(self, needing, tmp_path, monkeypatch):
        """Own runs of `fit` and of `count`, which read them; their cells."""
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)
        run(needing, "toy/fit", tmp_path)
        (cell,) = cells(needing, "toy/count")
        run_cell(cell, summarise, tmp_path, say=[].append)
        return cells(needing, "toy/fit"), cell

    def test_after_or_together_with_what_was_read(self, made, tmp_path):
        theirs, cell = made
        require_promotable(cell, tmp_path, [*theirs, cell])
        for needed in theirs:
            promote(needed, tmp_path)
        assert promote(cell, tmp_path).exists()

    def test_from_records_that_were_shipped_in_other_bytes(self, made, tmp_path):
        theirs, cell = made
        for needed in theirs:
            shipped = promote(needed, tmp_path)
            write_in_other_bytes(shipped)
        assert promote(cell, tmp_path).exists()

    def test_the_same_records_made_again_keep_what_was_made_from_either(self, made, tmp_path):
        theirs, cell = made
        for needed in theirs:
            records, notes = read_records(needed.path(tmp_path, "run"))
            write_records(needed.path(tmp_path, "reference"), records, {**notes, "commit": "an earlier one"})
        earlier = [digest(needed.path(tmp_path, "reference")) for needed in theirs]
        for _ in range(2):  # a second promotion finds nothing to do
            shipped = [promote(needed, tmp_path) for needed in theirs]
        assert promote(cell, tmp_path).exists()
        for path, before, needed in zip(shipped, earlier, theirs, strict=True):
            assert read_provenance(path)[FORMERLY] == [digest(needed.path(tmp_path, "run")), before]
            assert read_provenance(path)["commit"] != "an earlier one"

    def test_not_before_nor_from_other_records(self, made, tmp_path):
        theirs, cell = made
        with pytest.raises(
            UserError, match=r"made from results/run/smoke/toy/fit/bundled/plain.parquet as it was then"
        ):
            promote(cell, tmp_path)
        for needed in theirs:
            shipped = promote(needed, tmp_path)
        records, notes = read_records(shipped)
        write_records(shipped, records.assign(target=0.0), notes)
        with pytest.raises(UserError, match="which is not what is shipped of toy/fit/bundled/noisy; promote that with"):
            promote(cell, tmp_path)
        assert not cell.path(tmp_path, "reference").exists()


def count_rows(context: Context, experiment: str) -> pd.DataFrame:
    return pd.DataFrame({"run": context.runs, "rows": len(context.records(experiment))})
