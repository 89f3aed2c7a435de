"""Files that cells write beside their records: declared, made again when they are gone, and waited for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.experiment.agreement import EXACT
from core.experiment.context import Context
from core.experiment.finished import is_finished, require_file
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import copy_records
from core.experiment.verify import Shard, verify_shard
from core.experiment.workflow import CELL, Workflow
from core.foundation.errors import UnavailableError, UserError


@pytest.fixture
def papers(toy, edit):
    """The toy, in which `fit` writes an attachment and `count` reads what `fit` wrote."""
    edit("    description: means of [normal] draws\n", "    description: means of draws\n    attachment: npz\n")
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit]\n")
    edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
    return toy()


@pytest.fixture
def made(papers, tmp_path):
    """A cell that has run."""
    cell = find_cells(papers, "toy/fit/bundled/plain", "smoke")[0]
    run_cell(cell, papers.function(cell), tmp_path, say=[].append)
    return cell


def test_a_cell_is_finished_with_its_attachment_alone(made, papers, tmp_path):
    file, said = made.attachment_path(tmp_path), []
    assert file == made.path(tmp_path).with_suffix(".npz") and file.exists()
    assert is_finished(made, tmp_path)
    file.unlink()
    assert not is_finished(made, tmp_path, said.append)
    assert "plain.npz, which is made with it, is gone; recomputing both" in said[0]
    run_cell(made, papers.function(made), tmp_path, say=[].append)
    assert file.exists() and is_finished(made, tmp_path)


def test_records_without_their_attachment_serve_no_other_cell(made, tmp_path):
    assert require_file(made, tmp_path) == made.path(tmp_path)
    made.attachment_path(tmp_path).unlink()
    with pytest.raises(UnavailableError, match=r"a file \.npz beside it; make it with: python -m papers run toy/fit/"):
        require_file(made, tmp_path)


def test_a_shipped_cell_has_no_attachment_so_that_your_own_is_waited_for(made, papers, tmp_path, monkeypatch):
    (count,) = find_cells(papers, "toy/count", "smoke")
    shipped = made.path(tmp_path, "reference")
    shipped.parent.mkdir(parents=True)
    made.path(tmp_path).rename(shipped)
    monkeypatch.setattr("core.experiment.workflow.Papers", lambda root: papers)
    inputs = Workflow({}, tmp_path).cell_inputs(SimpleNamespace(**{part: getattr(count, part) for part in CELL}))
    assert str(made.path("")) in inputs and str(made.attachment_path("")) in inputs


def test_shipped_records_are_verified_with_your_own_attachment(papers, toy, tmp_path, edit):
    """Records are shipped and attachments are not, so that a cell that reads one is checked where you made it."""
    edit("    description: one integer a run\n", "    description: one integer a run\n    measured: [seconds]\n")
    papers = toy()
    *read, count = [*find_cells(papers, "toy/fit", "smoke"), *find_cells(papers, "toy/count", "smoke")]
    for cell in (*read, count):
        run_cell(cell, papers.function(cell), papers.root, say=[].append)
        copy_records(cell.path(papers.root), cell.path(papers.root, "reference"))
    outcome = verify_shard(papers, Shard(count, range(1), 1.0), tmp_path / "with")
    assert outcome.agreement == EXACT
    assert f"with your own {', '.join(cell.name for cell in read)}" in outcome.remark
    read[0].attachment_path(papers.root).unlink()
    with pytest.raises(UnavailableError, match=r"a file \.npz beside it; make it with"):
        verify_shard(papers, Shard(count, range(1), 1.0), tmp_path / "without")


def test_an_ablation_writes_beside_its_own_records(papers, tmp_path):
    (plain,) = find_cells(papers, "toy/fit/bundled/plain", "smoke")
    (changed,) = find_cells(papers, "toy/fit/bundled/plain", "smoke", overrides={"slope": 2.0})
    run_cell(changed, papers.function(changed), tmp_path, say=[].append)
    assert changed.attachment_path(tmp_path).exists() and not plain.attachment_path(tmp_path).exists()


def test_an_experiment_must_declare_it(papers, tmp_path):
    (count,) = find_cells(papers, "toy/count", "smoke")
    assert count.attachment_path(tmp_path) is None
    with pytest.raises(UserError, match=r"toy/count/bundled/plain: .* no `attachment` in paper\.yaml"):
        _ = Context(count, range(1), root=tmp_path).attachment


def test_the_hash_does_not_cover_it(toy, papers, edit):
    (before,) = find_cells(papers, "toy/fit/bundled/plain", "smoke")
    edit("    attachment: npz\n", "")
    (after,) = find_cells(toy(), "toy/fit/bundled/plain", "smoke")
    assert before.settings_hash == after.settings_hash
