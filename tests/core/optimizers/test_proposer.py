"""Proposals on data that models find hard."""

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace

from core.acquisition.maximizers import GradientAscent
from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.gaussian_process import GaussianProcess
from core.objectives.base import Evaluation
from core.objectives.synthetic import branin
from core.optimizers.bayesopt import BayesianOptimization
from core.optimizers.model_based import ModelBased
from core.optimizers.model_settings import GPSettings
from core.optimizers.proposer import Proposer
from core.spaces import CubeEncoding
from core.study.methods import method_of

PLAIN = GPSettings(unseen=False, unordered=False, gaussian_targets=False)
QUICK = GradientAscent(candidates=100, restarts=3, iterations=20)


class Moody(GaussianProcess):
    """Refuses data whose first loss is above 40."""

    def fit(self, X, y, generators):
        if (y[:, 0] > 40).any():
            raise ModelError("too large")
        return super().fit(X, y, generators)


def test_a_model_that_fails_in_one_run_costs_that_run_a_uniform_point():
    encoding = CubeEncoding(branin.space)
    policy = ModelBased(encoding, lambda n: Moody(restarts=1, iterations=20), QUICK, PLAIN)
    X = torch.rand(3, 4, 2, dtype=torch.float64)
    y = torch.tensor([[1.0, 2, 3, 4], [50, 2, 3, 4], [5, 2, 3, 4]], dtype=torch.float64)
    proposer = Proposer(policy, X[:, :0], make_generators(range(3)))
    proposal = proposer.propose(4, X, y, X[:, :0])
    assert proposal.origins[0] == proposal.origins[2] == "policy"
    assert proposal.origins[1] == "random: the model failed: too large"
    assert proposal.points.shape == (3, 2)


@pytest.mark.parametrize("values", [[1.0] * 5, [1e12, 2e12, 1.5e12, 3e12, 1e12], [1e-12, 2e-12, 3e-12, 4e-12, 5e-12]])
def test_constant_huge_and_tiny_losses_and_repeated_points_are_no_problem(values):
    encoding = CubeEncoding(branin.space)
    y = torch.tensor([values], dtype=torch.float64)
    X = torch.rand(1, 5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    X[:, 1] = X[:, 0]
    for model in (lambda n: GaussianProcess(), lambda n: BayesianNetwork(widths=(10,), burn_in=200, steps=400)):
        proposer = Proposer(ModelBased(encoding, model, QUICK, PLAIN), X[:, :0], make_generators([0]))
        proposal = proposer.propose(5, X, y, X[:, :0])
        assert proposal.origins == ("policy",) and proposal.points.isfinite().all()


def test_one_observation_and_fifty_dimensions():
    space = ConfigurationSpace({f"x{i:02}": (0.0, 1.0) for i in range(50)})
    encoding = CubeEncoding(space)
    policy = ModelBased(encoding, lambda n: GaussianProcess(restarts=1, iterations=20), QUICK, PLAIN)
    X = torch.rand(2, 1, 50, dtype=torch.float64)
    proposer = Proposer(policy, X[:, :0], make_generators([0, 1]))
    assert proposer.propose(1, X, torch.tensor([[1.0], [2.0]], dtype=torch.float64), X[:, :0]).points.shape == (2, 50)


@pytest.mark.parametrize("space", [ConfigurationSpace(), ConfigurationSpace({"x": 3})])
def test_spaces_with_nothing_to_search_are_refused(space):
    with pytest.raises(UserError, match="nothing to optimize"):
        CubeEncoding(space)


def test_what_the_settings_do_not_allow_is_no_failure_of_a_model():
    space = ConfigurationSpace({"x": (-1.0, 1.0)})
    method = {"method": "entropy_search", "log_loss": True, "initial_design": 2}
    optimizer = method_of(method).build(space, 0)
    for trial in optimizer.ask(2):
        optimizer.tell(trial, Evaluation(np.array([-0.5]), np.ones(1), ({},)))
    for call in (optimizer.ask, optimizer.recommend):
        with pytest.raises(UserError, match=r"log_loss: a loss is -0\.5; allowed: positive losses"):
            call()


def test_the_first_failure_of_a_model_is_warned_of():
    encoding = CubeEncoding(branin.space)
    policy = ModelBased(encoding, lambda n: Moody(restarts=1, iterations=20), QUICK, PLAIN)
    optimizer = BayesianOptimization(policy, initial_design=1)
    optimizer.tell(*optimizer.ask(), Evaluation(np.array([50.0]), np.ones(1), ({},)))
    with pytest.warns(UserWarning, match="trial 1: random: the model failed: too large") as said:
        optimizer.ask(2)
    assert len(said) == 1
