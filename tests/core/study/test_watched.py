"""Optimizers of one's own under watch, and Optuna's samplers as such."""

from __future__ import annotations

import time

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Float
from optuna.samplers import RandomSampler, TPESampler

from core.foundation.errors import UserError
from core.objectives.generated_tasks import forrester_tasks
from core.optimizers.tpe import OptunaSearch
from core.study.own import WatchedMethod
from core.study.task_search import cube, search_tasks


class Centre:
    """Proposes the same point; what its subclasses do wrong is in their names."""

    def __init__(self, space: ConfigurationSpace, seed: int) -> None:
        self.space, self.told = space, 0

    def ask(self, n: int) -> list[dict[str, float]]:
        return [dict.fromkeys(self.space, 0.5)]

    def tell(self, trial, evaluation) -> None:
        self.told += 1


class RaisesLater(Centre):
    def ask(self, n):
        if self.told == 2:
            raise RuntimeError("no more")
        return super().ask(n)


class LeavesTheSpace(Centre):
    def ask(self, n):
        return [dict.fromkeys(self.space, 2.0)]


class NeverReturns(Centre):
    def ask(self, n):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class ProposesNothing(Centre):
    def ask(self, n):
        return []


class Exits(Centre):
    def ask(self, n):
        raise SystemExit(3)


class TwoLines(Centre):
    def tell(self, trial, evaluation):
        raise ValueError("two\nlines")


class CannotBeMade(Centre):
    def __init__(self, space, seed):
        raise ValueError("no licence")


def run(make, seconds: float = 20.0, evaluations: int = 4):
    tasks = forrester_tasks(2)
    method = WatchedMethod(getattr(make, "__name__", "own"), make, seconds, runs=2)
    return search_tasks(tasks, method, evaluations, [0, 1], [2, 3], initial=1)


def test_a_well_behaved_one_runs_on_every_task_and_run():
    found = run(Centre)
    assert found.loss.shape == (2, 2, 4) and np.isfinite(found.loss).all()
    assert (np.ptp(found.loss, axis=(1, 2)) == 0).all()  # it always proposes the same point


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (RaisesLater, r"RaisesLater, task 0, run 0, evaluation 3: RuntimeError when it was asked: no more"),
        (LeavesTheSpace, r"LeavesTheSpace, task 0, run 0, evaluation 1: .*2\.0.*allowed"),
        (Exits, r"Exits, task 0, run 0, evaluation 1: SystemExit when it was asked: 3"),
        (TwoLines, r"TwoLines, task 0, run 0, evaluation 1: ValueError when it was told: two lines$"),
        (ProposesNothing, r"evaluation 1: proposed nothing"),
        (CannotBeMade, r"CannotBeMade, task 0, run 0: ValueError when it was made: no licence"),
    ],
)
def test_what_goes_wrong_is_named_with_its_place(make, message):
    with pytest.raises(UserError, match=message):
        run(make)


def test_errors_name_the_task_where_it_has_a_name():
    method = WatchedMethod("Mine", CannotBeMade, 20.0, runs=2, tasks=("branin", "levy"))
    method.built = 3
    with pytest.raises(UserError, match="Mine, levy, run 1: ValueError when it was made: no licence"):
        method.build(cube(1), 0, 4)


def test_what_it_was_told_is_kept():
    tasks, method = forrester_tasks(2), WatchedMethod("Mine", Centre, 20.0, runs=2, tasks=("first", "second"))
    found = search_tasks(tasks, method, 3, [0, 1], [2, 3], initial=1)
    told = [entry for entry in method.told if (entry["task"], entry["run"]) == ("second", 1)]
    assert [entry["trial"] for entry in told] == [0, 1, 2] and len(method.told) == 2 * 2 * 3
    assert told[0]["configuration"] == {"x00": 0.5} and told[0]["loss"] == pytest.approx(found.loss[1, 1, 0])


def test_one_that_never_returns_is_stopped():
    with pytest.raises(UserError, match=r"did not return within 0\.2 s when it was asked"):
        run(NeverReturns, seconds=0.2)


def test_samplers_of_optuna_learn():
    found = run(
        lambda space, seed: OptunaSearch(space, np.random.default_rng(seed), lambda number: TPESampler(seed=number)),
        evaluations=30,
    )
    assert (found.loss[..., -1] < found.loss[..., 4]).any() and (np.diff(found.loss, axis=-1) <= 0).all()


def test_a_sampler_has_the_space_of_the_task():
    space = ConfigurationSpace(name="log")
    space.add(Float("rate", (1e-6, 1.0), log=True))
    own = OptunaSearch(space, np.random.default_rng(2**40), lambda number: RandomSampler(seed=number))
    proposed = [trial.configuration["rate"] for trial in own.ask(40)]
    assert 0.2 < np.mean(np.array(proposed) < 1e-3) < 0.8 and cube(2)["x00"].upper == 1.0
