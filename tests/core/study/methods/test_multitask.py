"""Multi-task methods by their settings: with earlier tasks, and without."""

from __future__ import annotations

import numpy as np
import pytest

from core import minimize
from core.foundation.errors import UserError
from core.models.bohamiann import BayesianNetwork
from core.models.gaussian_process import MarginalisedGP
from core.models.multitask_bohamiann import MultiTaskNetwork
from core.models.multitask_gp import MultiTaskGP
from core.spaces import CubeEncoding
from core.study.earlier import tasks_of
from core.study.methods import method_of

SPACE = {"x": (-5.0, 5.0), "z": (0.0, 1.0)}
GP = {"method": "mt_gp", "hyperparameter_samples": 2, "burn_in": 3, "warm_burn_in": 1, "initial_design": 1}
NETWORK = {"method": "mt_bohamiann", "widths": (8,), "most_steps": 300, "samples": 10, "initial_design": 1}
METHODS = pytest.mark.parametrize("given", [GP, NETWORK], ids=lambda given: given["method"])


def bowl(configuration):
    return (configuration["x"] - 1) ** 2 + configuration["z"]


def search(**given):
    return minimize(bowl, SPACE, **{"method": "random", "evaluations": 30, "progress": False, **given})


def points(result):
    return CubeEncoding(SPACE).encode([record.configuration for record in result.records])


@METHODS
def test_a_search_starts_from_earlier_ones_and_repeats(given):
    earlier = [search(), search(seed=1)]
    first, again, cold = (search(method=given, evaluations=4, earlier=tasks) for tasks in (earlier, earlier, ()))
    np.testing.assert_allclose(points(first), points(again))
    assert not np.allclose(points(first), points(cold))
    assert not any("failed" in str(record.notes) for record in first.records)


@METHODS
def test_a_journal_continues_the_search(given, tmp_path):
    earlier = [search()]
    whole = search(method=given, evaluations=5, earlier=earlier)
    book = tmp_path / "run.jsonl"
    for evaluations in (3, 5):
        found = search(method=given, evaluations=evaluations, earlier=earlier, journal=book)
    np.testing.assert_allclose(points(found), points(whole))


@pytest.mark.parametrize(
    ("given", "alone", "several"),
    [(GP, MarginalisedGP, MultiTaskGP), (NETWORK, BayesianNetwork, MultiTaskNetwork)],
    ids=["mt_gp", "mt_bohamiann"],
)
def test_without_earlier_tasks_they_are_the_methods_of_one_task(given, alone, several):
    settings, tasks = method_of(given), tasks_of([search()], CubeEncoding(SPACE))
    assert type(settings.model(5)) is alone and type(settings.model(5, earlier=tasks)) is several


@pytest.mark.parametrize(("rank", "earlier", "used"), [(None, 5, None), (None, 6, 1), (2, 2, 2), (2, 9, 2)])
def test_the_covariance_of_many_tasks_has_rank_one_where_nothing_else_is_said(rank, earlier, used):
    model = method_of({**GP, "rank": rank}).model(5, earlier=tasks_of([search()] * earlier, CubeEncoding(SPACE)))
    assert model.process.basis.rank == used and model.process.basis.size == 1 + earlier


def test_chains_burn_in_for_the_observations_of_all_tasks():
    settings, tasks = method_of({**NETWORK, "most_steps": None}), tasks_of([search()], CubeEncoding(SPACE))
    assert settings.model(5).burn_in == 500 and settings.model(5, earlier=tasks).burn_in == 3500


def test_what_is_refused():
    with pytest.raises(UserError, match=r"method .gp. does not learn from other tasks; .*mt_bohamiann or mt_gp"):
        method_of("gp").build(SPACE, 0, earlier=[object()])
    with pytest.raises(UserError, match="warm_burn_in = 100"):
        method_of({**NETWORK, "warm_burn_in": 100})
    with pytest.raises(UserError, match="scaling = 'none'"):
        method_of({**GP, "scaling": "none"})
