"""Optuna's own tests of samplers (`optuna.testing`), run on ours."""

from __future__ import annotations

import optuna
import pytest
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from core.integrations import HPOSampler

QUICK_GP = {"method": "gp", "maximizer": "random_search"}
QUICK_FOREST = {"method": "rf", "maximizer": "random_search"}
QUICK_NETWORK = {"method": "bohamiann", "maximizer": "random_search", "burn_in": 50, "chain_steps": 100, "samples": 10}
SLOW = ["random", "regularized_evolution", "differential_evolution", "cmaes", QUICK_FOREST, QUICK_GP]


@pytest.fixture(params=["tpe", *(pytest.param(method, marks=pytest.mark.slow) for method in SLOW)], ids=str)
def sampler(request):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return lambda: HPOSampler(request.param, seed=0)


class TestBasics(BasicSamplerTestCase):
    """Every kind of parameter, nan, fixed and conditional ones, and ranges that change."""

    @pytest.fixture
    def sampler(self, sampler):
        return sampler


class TestTogether(RelativeSamplerTestCase):
    """Parameters that are proposed together, also by several threads."""

    @pytest.fixture
    def sampler(self, sampler):
        return sampler


class TestOneObjective(SingleOnlySamplerTestCase):
    """Several objectives are refused."""

    @pytest.fixture
    def sampler(self, sampler):
        return sampler


def test_these_are_all_that_are_about_one_objective():
    known = {BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase, MultiObjectiveSamplerTestCase}
    from optuna.testing import pytest_samplers

    cases = {value for name, value in vars(pytest_samplers).items() if name.endswith("SamplerTestCase")}
    assert {case for case in cases if not case.__name__.startswith("_")} == known
