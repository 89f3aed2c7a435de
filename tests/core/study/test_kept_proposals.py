"""A search in lockstep that was interrupted ends as if nothing had happened, and pays for its proposals once."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import torch

from core.acquisition.maximizers import RandomLocalSearch
from core.experiment import provenance
from core.experiment import search as searches
from core.experiment.context import Context
from core.experiment.finished import shard_folder
from core.experiment.paper import Papers
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import read_records
from core.foundation import convergence
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.objectives.synthetic import sin_one
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import GPSettings
from core.optimizers.policy import uniform_points
from core.samplers import AdaptiveSGHMC
from core.spaces import CubeEncoding
from core.study import lockstep
from core.study.lockstep import KeptProposals, run_in_lockstep, run_on_cube

EVALUATIONS = 8
PLAIN = GPSettings(unseen=False, unordered=False, gaussian_targets=False)


@dataclass(frozen=True)
class Counted:
    """BOHAMIANN with chains that continue, which have a memory; each call counts, and a fit is counted, too."""

    policy: ModelBased
    calls: list[int] = field(default_factory=list)

    @property
    def encoding(self):
        return self.policy.encoding

    def propose(self, memory, X, y, pending, generators):
        self.calls.append(X.shape[1])
        convergence.ended("fit", 1, True, 0.0)
        return self.policy.propose(memory, X, y, pending, generators)

    def of_runs(self, rows):
        return Counted(self.policy.of_runs(rows), self.calls)


def network(n):
    sampler = AdaptiveSGHMC()
    return BayesianNetwork(widths=(5,), burn_in=60, steps=160, thinning=10, warm_burn_in=20, sampler=sampler)


def policy():
    search = RandomLocalSearch(candidates=30, steps=2)
    return Counted(ModelBased(CubeEncoding(sin_one.space), network, search, PLAIN, continues=True))


def search(policy, kept=None, progress=lambda share: None):
    design = uniform_points(policy.encoding, 2, make_generators([5, 6]))
    noise = [np.random.default_rng(run) for run in range(2)]
    return run_in_lockstep(sin_one, policy, design, make_generators([1, 2]), EVALUATIONS, noise, progress, kept)


def interrupted_at(share):
    def progress(done):
        if done >= share:
            raise KeyboardInterrupt

    return progress


def kept_in(folder, key="a"):
    return KeptProposals(folder / "some.proposals", key, {})


@pytest.fixture(autouse=True)
def kept_at_once(monkeypatch):
    """Each proposal is written at once."""
    monkeypatch.setattr(lockstep, "INTERVAL", 0.0)


@pytest.fixture
def interrupted(tmp_path):
    """A folder with what a search had kept when it was interrupted after six evaluations: six proposals."""
    with pytest.raises(KeyboardInterrupt), convergence.counting():
        search(policy(), kept_in(tmp_path), interrupted_at(0.75))
    return tmp_path


def test_a_resumed_search_ends_as_an_uninterrupted_one(interrupted):
    whole, resumed = policy(), policy()
    expected = search(whole)
    with convergence.counting():
        kept = kept_in(interrupted)
        found = search(resumed, kept)
    assert whole.calls == [2, 3, 4, 5, 6, 7] and resumed.calls == [6, 7]
    assert torch.equal(found.X, expected.X) and np.array_equal(found.loss, expected.loss)
    origins = [[record.info for record in records] for records in found.records]
    assert origins == [[record.info for record in records] for records in expected.records]
    assert kept.spent["fits"]["fit"]["fits"] == 4 and kept.spent["wall_seconds"] > 0


@pytest.mark.parametrize("damage", ["another key", "a byte", "no file"])
def test_what_cannot_be_used_is_made_again(interrupted, damage):
    file = interrupted / "some.proposals"
    if damage == "a byte":
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    if damage == "no file":
        file.unlink()
    resumed = policy()
    search(resumed, kept_in(interrupted, "b" if damage == "another key" else "a"))
    assert resumed.calls == [2, 3, 4, 5, 6, 7]


def test_other_losses_are_noticed(interrupted, monkeypatch):
    evaluate = type(sin_one).evaluate
    shift = lambda *args, **kwargs: (found := evaluate(*args, **kwargs))._replace(loss=found.loss + 1)  # noqa: E731
    monkeypatch.setattr(type(sin_one), "evaluate", shift)
    with pytest.raises(UserError, match=r"some.proposals: the evaluations made again have other losses"):
        search(policy(), kept_in(interrupted))
    assert not (interrupted / "some.proposals").exists()


def test_proposals_that_cannot_be_written_cost_a_warning(tmp_path):
    (tmp_path / "some.proposals").mkdir()
    with (
        pytest.warns(RuntimeWarning, match=r"some\.proposals: cannot be written: .*will begin anew"),
        convergence.counting(),
    ):
        found = search(policy(), kept_in(tmp_path))
    assert np.array_equal(found.loss, search(policy()).loss)


def test_proposals_stay_in_their_folder_whatever_the_function_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = kept_in(Path())
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    with convergence.counting():
        search(policy(), kept)
    assert (tmp_path / "some.proposals").exists() and not list((tmp_path / "away").iterdir())


CELL = "bohamiann/synthetic/sin_one/random"


def test_a_cell_continues_within_its_shard(tmp_path, monkeypatch):
    """The random search of a paper's cell, interrupted; its provenance has the time of both processes."""
    papers = Papers()
    (cell,) = find_cells(papers, CELL, "smoke")
    function = papers.function(cell)
    expected = read_records(run_cell(cell, function, tmp_path / "whole", say=lambda text: None))[0]
    monkeypatch.setattr(provenance, "commit", lambda root: "1234abcd")
    root = tmp_path / "resumed"
    with pytest.raises(KeyboardInterrupt):
        run_cell(cell, function, root, say=lambda text: None, progress=interrupted_at(0.7))
    (file,) = shard_folder(cell.path(root)).glob("*.proposals")
    assert file.name == f"{cell.settings_hash}-0.proposals"
    spent, run = [], searches.run_in_lockstep
    monkeypatch.setattr(searches, "run_in_lockstep", lambda *a: (run(*a), spent.append(a[-1].spent))[0])
    found, notes = read_records(run_cell(cell, function, root, say=lambda text: None))
    columns = [name for name in expected if name != "overhead"]
    assert found[columns].equals(expected[columns]) and not file.exists()
    assert 0 < spent[0]["wall_seconds"] < notes["wall_seconds"]


def test_changed_code_keeps_nothing(tmp_path):
    (cell,) = find_cells(Papers(), CELL, "smoke")
    for commits in ("", "unknown", f"1234abcd{provenance.CHANGED}", f"1234abcd{provenance.CHANGED} 5678abcd"):
        context = Context(cell, range(2), root=tmp_path, commits=commits)
        assert searches.kept_proposals(context, [], 5) is None


def test_a_search_on_the_cube_continues_after_its_initial_design(tmp_path):
    """Whose points are evaluated in one call, so that the first proposal is not the first evaluation."""
    calls: list[int] = []

    def run(kept, stop=None):
        def function(X):
            calls.append(X.shape[1])
            if X.shape[1] == 1 and len(calls) == stop:
                raise KeyboardInterrupt
            return (X - 0.3).square().sum(-1)

        made = policy()
        start = uniform_points(made.encoding, 3, make_generators([5, 6]))
        return run_on_cube(function, made, start, make_generators([1, 2]), 7, kept), made.calls

    (X, y), proposed = run(None)
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        run(kept_in(tmp_path), stop=4)
    (again, losses), rest = run(kept_in(tmp_path))
    assert proposed == [3, 4, 5, 6] and rest == [6]
    assert torch.equal(again, X) and torch.equal(losses, y)
