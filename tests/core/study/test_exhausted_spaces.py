"""Spaces of few legal configurations: every method goes on once it has seen all of them, or says that it has ended.

Whatever has been evaluated, nothing that is forbidden is ever proposed; a method with a model prefers what is new.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenGreaterThanRelation,
    ForbiddenInClause,
    Integer,
)

from core import minimize
from core.objectives.base import LEARNING_CURVE, Evaluation, Fidelity
from core.optimizers.points import every_point
from core.spaces import CubeEncoding
from core.study import METHODS


def pairs(*forbidden: tuple[str, str]) -> ConfigurationSpace:
    """Two choices of two, without some pairs of them."""
    space = ConfigurationSpace(seed=0)
    solver, penalty = Categorical("solver", ["lbfgs", "saga"]), Categorical("penalty", ["l1", "l2"], default="l2")
    space.add(solver, penalty)
    for one, other in forbidden:
        clauses = ForbiddenEqualsClause(solver, one), ForbiddenEqualsClause(penalty, other)
        space.add(ForbiddenAndConjunction(*clauses))
    return space


def conditional() -> ConfigurationSpace:
    """Nine: a number that one choice alone has, and a choice that the other one forbids."""
    space = ConfigurationSpace(seed=0)
    kind, number, mode = Categorical("kind", ["u", "v"]), Integer("number", (1, 4)), Categorical("mode", ["r", "s"])
    space.add(kind, number, mode)
    space.add(EqualsCondition(number, kind, "u"))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kind, "v"), ForbiddenEqualsClause(mode, "s")))
    return space


def sparse() -> ConfigurationSpace:
    """Thirty of 1,200, by a relation of two integers and forbidden values."""
    space = ConfigurationSpace(seed=0)
    few, more = Integer("few", (1, 30), default=1), Integer("more", (1, 20), default=3)
    space.add(few, more, Categorical("kind", ["p", "q"]))
    space.add(ForbiddenGreaterThanRelation(few, more))
    space.add(ForbiddenInClause(few, list(range(6, 31))), ForbiddenInClause(more, list(range(6, 21))))
    return space


SPACES: dict[str, tuple[Callable[[], ConfigurationSpace], int]] = {
    "two": (lambda: pairs(("lbfgs", "l1"), ("saga", "l2")), 2),
    "three": (lambda: pairs(("lbfgs", "l1")), 3),
    "conditional": (conditional, 9),
    "sparse": (sparse, 30),
}
NETWORK = {"widths": (5,), "chain_steps": 100, "samples": 10, "most_steps": 200}
CHEAP: dict[str, dict[str, Any]] = {
    "gp": {"restarts": 1, "iterations": 10},
    "gp_mcmc": {"hyperparameter_samples": 2},
    "gp_warped": {"hyperparameter_samples": 2},
    "rf": {"trees": 5},
    "dngo": {"widths": (5,), "updates": 20, "hyperparameter_samples": 2},
    "bohamiann": NETWORK,
    "mt_bohamiann": NETWORK,
    "hyperband_lcnet": {"burn_in": 20, "chain_steps": 40, "samples": 10},
}
SLOW = {"ablr", "mt_gp", "entropy_search", "fabolas", "mtbo"}
SLOWEST = {"entropy_search", "fabolas", "mtbo"}
MODEL_BASED = ("tpe", "gp", "gp_mcmc", "gp_warped", "rf", "dngo", "bohamiann", "ablr", "mt_gp", "mt_bohamiann")


class Told:
    """A benchmark that keeps what it was asked to evaluate."""

    worst_loss = 10.0

    def __init__(self, space: ConfigurationSpace, fidelity: Fidelity | None) -> None:
        self.space, self.fidelity, self.seen = space, fidelity, list[tuple[Any, ...]]()

    def evaluate(self, configurations, budget, generator):
        losses = []
        for configuration in configurations:
            self.seen.append(tuple(configuration.items()))
            losses.append(sum(map(ord, str(sorted(configuration.items())))) % 97 / 97)
        curve = [1.0 / epoch for epoch in range(1, round(budget or 1))]
        info = tuple({LEARNING_CURVE: [*curve, loss]} for loss in losses)
        return Evaluation(np.array(losses), np.full(len(losses), float(budget or 1)), info)


def given(method: str, space: ConfigurationSpace) -> tuple[Told, dict[str, Any]]:
    """A benchmark for a method, and the arguments of a search."""
    shares = method in ("fabolas", "mtbo")
    budgets = (1 / 64, 1.0) if shares else (1.0, 9.0) if METHODS[method].needs_budgets else None
    told = Told(space, None if budgets is None else Fidelity("share" if shares else "epochs", *budgets))
    return told, {"method": {"method": method, **CHEAP.get(method, {})}, "progress": False}


def cases() -> list[Any]:
    """Each method on each space: the cheap ones quickly."""
    rows = []
    for method in METHODS:
        for name in SPACES:
            costly = method in SLOW or (
                name in ("conditional", "sparse") and method in (*MODEL_BASED[1:], "optuna_tpe")
            )
            if name == "sparse" and costly and method not in ("gp", "rf"):  # minutes each
                continue
            if method in SLOWEST and name != "three":
                continue
            lacking = pytest.mark.skipif(method == "smac" and find_spec("smac") is None, reason="needs SMAC")
            marks = [lacking, *([pytest.mark.slow] if costly and (method, name) != ("gp", "conditional") else [])]
            rows.append(pytest.param(method, name, marks=marks, id=f"{method}-{name}"))
    return rows


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "name"), cases())
def test_every_method_goes_on_or_ends_in_order_and_its_journal_is_continued(method, name, tmp_path):
    make, legal = SPACES[name]
    (told, arguments), encoding = given(method, make()), CubeEncoding(make())
    assert len(every_point(encoding)) == legal
    n, journal = legal + 14, tmp_path / "run.jsonl"
    first = minimize(told, evaluations=n, journal=journal, **arguments)
    assert len(first.records) == n or first.stopped == "method"
    for kept in tmp_path.glob(".run.jsonl.state"):
        kept.unlink()  # so that everything is asked again
    if method != "smac":  # whose design depends on the number of evaluations
        assert len(minimize(told, evaluations=n + 2, journal=journal, **arguments).records) == n + 2
    encoding.encode([dict(seen) for seen in told.seen])  # which refuses what is forbidden


@pytest.mark.parametrize(
    "method",
    [pytest.param(each, marks=[] if each in ("tpe", "gp", "rf") else [pytest.mark.slow]) for each in MODEL_BASED],
)
def test_what_is_new_comes_first_after_the_initial_design(method):
    """Thirty of 1,200: candidates at random meet a last one only now and then."""
    told, arguments = given(method, sparse())
    settings = arguments["method"] | {"initial_design": 3}
    minimize(told, **(arguments | {"method": settings}), evaluations=24)
    late = told.seen[3:]
    assert len(set(late)) == len(late) and not set(late) & set(told.seen[:3])


@pytest.mark.parametrize("maximizer", ["multiscale", "local_search", "one_step", "differential_evolution"])
def test_every_maximizer_finds_what_is_new_and_repeats_what_is_allowed(maximizer):
    space = pairs(("lbfgs", "l1"))
    told = Told(space, None)
    settings = {"method": "rf", "trees": 3, "initial_design": 1, "maximizer": maximizer, "generations": 3}
    result = minimize(told, method=settings, evaluations=8, progress=False)
    assert len(set(told.seen[:3])) == 3 and len(result.records) == 8
    assert {record.notes["origin"] for record in result.records[1:]} == {"policy"}, "no model has failed"


@pytest.mark.parametrize("method", ["gp", "rf", "tpe", "bohb"])
def test_constraints_earlier_searches_and_failures_do_not_matter(method):
    def loss(configuration, budget=None):
        if configuration["penalty"] == "l1":
            raise RuntimeError("no solution")
        return {"loss": float(configuration["solver"] == "saga"), "size": float(configuration["solver"] == "saga")}

    settings = {"method": method, **CHEAP.get(method, {})}
    budgets = {"budgets": (1.0, 3.0)} if method == "bohb" else {}
    space, extra = pairs(("lbfgs", "l1")), {"constraints": ["size"], "progress": False, **budgets}
    before = minimize(loss, space, settings, 14, **extra)
    after = minimize(loss, space, settings, 14, earlier=[before], **extra)
    for result in (before, after):
        assert len(result.records) == 14 and result.best_configuration == {"solver": "lbfgs", "penalty": "l2"}


def test_trials_under_way_are_repeated_too_once_there_is_nothing_else():
    optimizer = METHODS["gp"](**CHEAP["gp"], initial_design=1).build(pairs(("lbfgs", "l1")), seed=0)
    trials = optimizer.ask(1)
    optimizer.tell(trials[0], 0.5)
    asked = optimizer.ask(6)
    assert len({tuple(trial.configuration.items()) for trial in [*trials, *asked[:2]]}) == 3
    for trial in asked:
        optimizer.tell(trial, 1.0)
    CubeEncoding(pairs(("lbfgs", "l1"))).encode([trial.configuration for trial in asked])
