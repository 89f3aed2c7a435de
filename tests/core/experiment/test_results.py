"""What artifacts draw from, and what may become a reference run."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.provenance import _first_commit, commit, commits
from core.experiment.results import Results, inspect_cell
from core.experiment.runner import run_cell
from core.experiment.settings import Settings
from core.experiment.storage import ResultFileError, read_provenance, read_records, write_records
from core.experiment.verify import promote, require_promotable
from core.foundation.errors import UnknownNameError, UserError


class Fit(Settings):
    points: int = 4


PLAIN = Cell("toy", "fit", "line", "plain", "paper", 12, Fit(), "fit")
NOISY = replace(PLAIN, method="noisy")
OTHER = replace(PLAIN, experiment="count", runs=2, scale="quick")
SCALES = {"fit": "paper", "count": "quick"}


def fit(context: Context) -> pd.DataFrame:
    return pd.DataFrame({"run": context.runs, "value": np.arange(len(context.runs)) / 2})


def results(root: Path, *cells: Cell, source: str = "run", scales: dict[str, str] | None = None) -> Results:
    return Results(cells, root, source, scales or {cell.experiment: cell.scale for cell in cells})


class TestResults:
    def test_rows_carry_their_cell(self, tmp_path):
        for cell in (PLAIN, NOISY, OTHER):
            run_cell(cell, fit, tmp_path)
        found = results(tmp_path, PLAIN, NOISY, OTHER)
        frame = found.frame("fit")
        assert frame.groupby(["benchmark", "method"]).size().to_dict() == {("line", "plain"): 12, ("line", "noisy"): 12}
        assert {"run", "status", "message", "value"} <= set(frame.columns)
        assert len(found.frame("count")) == 2
        assert found.scale("count") == "quick"

    def test_absent_is_no_error(self, tmp_path):
        run_cell(PLAIN, fit, tmp_path)
        found = results(tmp_path, PLAIN, NOISY)
        assert [info.present for info in found.cells] == [True, False]
        assert set(found.frame("fit")["method"]) == {"plain"}
        nothing = results(tmp_path / "empty", PLAIN).frame("fit")
        assert nothing.empty
        assert list(nothing.columns) == ["benchmark", "method", "run", "status", "message"]

    def test_requests_for_what_was_not_run_are_noted(self, tmp_path):
        run_cell(PLAIN, fit, tmp_path)
        found = results(tmp_path, PLAIN, OTHER)
        found.frame("fit")
        assert found.lacking == []
        found.frame("count")
        assert found.lacking == ["count"]

    @pytest.mark.parametrize("read", [Results.frame, Results.scale])
    def test_an_experiment_that_the_artifact_does_not_draw_from(self, tmp_path, read):
        with pytest.raises(UnknownNameError, match="unknown experiment of this artifact 'fitt'; did you mean 'fit'"):
            read(results(tmp_path, PLAIN), "fitt")

    def test_files_are_read_once_while_they_stay_as_they_are(self, tmp_path, monkeypatch):
        reads = []

        def counted(path):
            reads.append(path)
            return read_records(path)

        monkeypatch.setattr("core.experiment.results.read_records", counted)
        path = run_cell(PLAIN, fit, tmp_path)
        first = results(tmp_path, PLAIN).frame("fit")
        first.loc[:, "value"] = -1.0
        first["own"] = 0
        again = results(tmp_path, PLAIN).frame("fit")
        assert len(reads) == 1
        assert "own" not in again and again["value"].min() == 0
        records, provenance = read_records(path)
        write_records(path, records.assign(value=records["value"] + 10), provenance)
        assert results(tmp_path, PLAIN).frame("fit")["value"].min() == 10
        assert len(reads) == 2

    def test_the_two_sources_are_apart(self, tmp_path):
        run_cell(PLAIN, fit, tmp_path)
        assert not results(tmp_path, PLAIN, source="reference").cells[0].present
        assert results(tmp_path, PLAIN).cells[0].path == "results/run/paper/toy/fit/line/plain.parquet"

    def test_other_settings_are_used_and_marked(self, tmp_path):
        run_cell(replace(PLAIN, settings=Fit(points=9)), fit, tmp_path)
        found = results(tmp_path, PLAIN)
        assert found.cells[0].stale
        assert len(found.frame("fit")) == 12
        run_cell(PLAIN, fit, tmp_path)
        assert not results(tmp_path, PLAIN).cells[0].stale

    def test_a_truncated_file_stops_with_its_name(self, tmp_path):
        path = run_cell(PLAIN, fit, tmp_path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ResultFileError, match=rf"{path}: truncated or not a Parquet file"):
            results(tmp_path, PLAIN)

    def test_what_a_file_says_of_itself(self, tmp_path):
        path = run_cell(PLAIN, fit, tmp_path)
        notes, info = read_provenance(path), inspect_cell(replace(PLAIN, runs=50), tmp_path, "run")
        assert (info.runs, info.configured_runs) == (12, 50)
        assert (info.commit, info.wall_seconds) == (notes["commit"], notes["wall_seconds"])
        assert info.peak_memory_mb == notes["peak_memory_mb"]
        assert info.name == "fit/line/plain"

    def test_reduced_below_the_papers_protocol(self, tmp_path):
        """A smaller scale, or fewer repetitions than the scale has; more of them, or none at all, is not reduced."""
        for runs, expected in ((5, True), (12, False), (20, False)):
            run_cell(replace(PLAIN, runs=runs), fit, tmp_path)
            assert results(tmp_path, PLAIN).reduced == expected
        assert results(tmp_path, PLAIN, OTHER, scales=SCALES).reduced
        assert not results(tmp_path / "empty", PLAIN).reduced


@pytest.fixture
def repository(tmp_path) -> Path:
    """A git repository with committed code."""
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "fit.py").write_text("one = 1\n")
    (tmp_path / ".gitignore").write_text("/results/run/\n*.pyc\n")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "code"]):
        identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
    return tmp_path


class TestCommit:
    def test_committed_code(self, repository):
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=repository, text=True).strip()
        (repository / "core" / "fit.pyc").touch()
        (repository / "notes.txt").touch()  # neither ignored files nor other folders are code
        assert commit(repository) == head

    @pytest.mark.parametrize("name", ["fit.py", "new.py"])
    def test_a_changed_or_new_file_of_code(self, repository, name):
        (repository / "core" / name).write_text("two = 2\n")
        assert commit(repository).endswith("+changes")

    def test_no_repository(self, tmp_path):
        assert commit(tmp_path) == "unknown"

    def test_code_that_changes_while_a_process_lasts(self, repository):
        """Modules are imported when first needed: what came before and what came after may both have been loaded."""
        before = commits(repository)
        assert before == commit(repository)
        (repository / "core" / "fit.py").write_text("two = 2\n")
        assert commits(repository) == f"{before} {before}+changes"


class TestPromote:
    def test_a_finished_cell(self, repository):
        path = run_cell(PLAIN, fit, repository)
        target = promote(PLAIN, repository)
        assert target == repository / "results/reference/paper/toy/fit/line/plain.parquet"
        assert target.read_bytes() == path.read_bytes()
        assert [file.name for file in target.parent.iterdir()] == ["plain.parquet"]

    def refused(self, cell: Cell, root: Path) -> str:
        for refuse in (require_promotable, promote):
            with pytest.raises(UserError) as caught:
                refuse(cell, root)
        assert not (root / "results" / "reference").exists()
        return str(caught.value)

    def test_not_run(self, repository):
        message = self.refused(PLAIN, repository)
        assert "results/run/paper/toy/fit/line/plain.parquet does not exist" in message
        assert "python -m papers run toy/fit/line/plain --scale paper" in message

    def test_stale(self, repository):
        run_cell(replace(PLAIN, settings=Fit(points=9)), fit, repository)
        assert "was made with settings other than today's; rerun it: python -m" in self.refused(PLAIN, repository)

    def test_short(self, repository):
        run_cell(replace(PLAIN, runs=3), fit, repository)
        assert "holds 3 of 12 repetitions; finish it: python -m papers run" in self.refused(PLAIN, repository)

    def test_made_by_uncommitted_code(self, repository):
        (repository / "core" / "new.py").touch()
        run_cell(PLAIN, fit, repository)
        assert "was made by uncommitted code (" in self.refused(PLAIN, repository)

    def test_partly_made_by_uncommitted_code(self, repository):
        """The first shard with changes, the second without: the file names both commits, and one is not fit to ship."""
        (repository / "core" / "new.py").touch()
        run_cell(replace(PLAIN, runs=10), fit, repository)
        (repository / "core" / "new.py").unlink()
        _first_commit.cache_clear()  # another process
        run_cell(PLAIN, fit, repository)
        assert "was made by uncommitted code (" in self.refused(PLAIN, repository)

    def test_made_outside_a_repository(self, tmp_path):
        run_cell(PLAIN, fit, tmp_path)
        assert "was made by uncommitted code (unknown)" in self.refused(PLAIN, tmp_path)

    def test_an_ablation(self, repository):
        ablation = replace(PLAIN, settings=Fit(points=9), overrides=("points=9",))
        run_cell(ablation, fit, repository)
        assert "an ablation (points=9) is never promoted" in self.refused(ablation, repository)

    @pytest.mark.parametrize(
        "damage, what",
        [
            (lambda whole: whole[:-20], "truncated or not a Parquet file"),
            (lambda whole: whole[:4] + bytes(200) + whole[204:], "damaged: its checksum is not that of its content"),
        ],
    )
    def test_unreadable(self, repository, damage, what):
        """The second kind has its metadata whole and its records not."""
        path = run_cell(PLAIN, fit, repository)
        path.write_bytes(damage(path.read_bytes()))
        assert what in self.refused(PLAIN, repository)
