"""Entropy search, MTBO and Fabolas as policies: what they propose and recommend, and that nothing stops them."""

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace
from scipy.stats import multivariate_normal

from core.foundation.randomness import make_generators
from core.models.gaussian_process import MarginalisedGP
from core.optimizers.fidelities import FullData, SubsetSizes, Tasks
from core.optimizers.information_search import SPREAD, InformationSearch
from core.optimizers.information_settings import EntropySearchSettings, FabolasSettings, MTBOSettings
from core.optimizers.policy import no_memory
from core.optimizers.proposer import Proposer
from core.spaces import CubeEncoding

INNER = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)}))
ENCODINGS = {
    "fabolas": SubsetSizes(INNER, 1 / 64, 1.0),
    "mtbo": Tasks(INNER, 1.0, (0.25,)),
    "entropy_search": FullData(INNER),
}


SETTINGS = {"fabolas": FabolasSettings, "mtbo": MTBOSettings, "entropy_search": EntropySearchSettings}


def search(name, chains=2, burn_in=5, **given):
    few = {"representers": 10, "candidates": 50, "near_representers": 0, "warm_burn_in": None, **given}
    model = lambda basis: MarginalisedGP(chains=chains, burn_in=burn_in, basis=basis)  # noqa: E731
    return InformationSearch(ENCODINGS[name], model, SETTINGS[name](**few))


def observed(name, runs=2, n=12, seed=0):
    """X, and losses whose best is at (0.3, 0.7), with costs."""
    encoding = ENCODINGS[name]
    X = np.stack([encoding.sample(n, np.random.default_rng(seed + run)) for run in range(runs)])
    budgets = [encoding.budgets(points) or [1.0] * n for points in X]
    X, s = torch.as_tensor(X), torch.tensor(budgets, dtype=torch.float64)
    loss = (X[..., 0] - 0.3).square() + (X[..., 1] - 0.7).square() + 0.1 * (1 - s)
    return X, torch.stack([loss, 100 * s], -1) if encoding.priced else loss


def propose(policy, X, y, seeds, memory=None):
    """The suggestion of a policy without pending points, and what it remembers."""
    memory, found = policy.propose(memory or no_memory(len(X)), X, y, X[:, :0], make_generators(seeds))
    return found, memory


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_run_s_proposal_does_not_depend_on_the_others(name):
    X, y = observed(name, runs=3)
    together = propose(search(name), X, y, [0, 1, 2])[0]
    alone = propose(search(name), X[1:2], y[1:2], [1])[0]
    torch.testing.assert_close(together.points[1:2], alone.points, rtol=1e-6, atol=1e-6)
    assert together.notes[1]["recommended"] == alone.notes[0]["recommended"]
    again = propose(search(name), X, y, [0, 1, 2])[0]
    assert torch.equal(again.points, together.points) and again.notes == together.notes


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_recommendation_is_the_best_predicted_on_the_full_data(name):
    X, y = observed(name, n=30)
    _, notes = search(name, burn_in=15).recommend(no_memory(2), X, y, make_generators([0, 1]))
    for run in range(2):
        regret = (X[run, :, :2] - torch.tensor([0.3, 0.7])).square().sum(-1)
        assert regret[notes[run]["recommended"]] <= regret.sort().values[2]
        assert notes[run]["predicted"] == pytest.approx(regret[notes[run]["recommended"]].item(), abs=0.1)


def test_chains_continue_from_what_is_remembered_of_each_run():
    X, y = observed("fabolas")
    going, cold = search("fabolas", warm_burn_in=5), search("fabolas")
    first, memory = propose(going, X, y, [0, 1])
    anew, nothing = propose(cold, X, y, [0, 1])
    assert torch.equal(first.points, anew.points) and nothing == ({}, {})
    assert [set(each) for each in memory] == [{"loss", "log cost"}] * 2
    second = propose(going, X, y, [2, 3], memory)[0].points
    assert torch.equal(second, propose(going, X, y, [2, 3], memory)[0].points), "a policy remembers nothing itself"
    assert not torch.equal(second, propose(cold, X, y, [2, 3])[0].points)
    alone = propose(going, X[1:], y[1:], [3], memory[1:])[0].points
    torch.testing.assert_close(alone, second[1:], rtol=1e-6, atol=1e-6)


def test_points_under_evaluation_are_not_proposed_again():
    X, y = observed("entropy_search", runs=1)
    policy, generators = search("entropy_search", candidates=400), lambda: make_generators([0])
    first = policy.propose(no_memory(1), X, y, X[:, :0], generators())[1].points
    second = policy.propose(no_memory(1), X, y, first.unsqueeze(1), generators())[1].points
    assert (first - second).abs().max() > 1e-3


def test_cheaper_is_chosen_where_it_tells_as_much():
    """The loss is the same on all shares: a suggestion for nothing, and the smallest tells as much per evaluation."""
    X, y = observed("fabolas", n=20)
    y[..., 0] = (X[..., 0] - 0.3).square() + (X[..., 1] - 0.7).square()
    cheap = propose(search("fabolas", candidates=300, overhead=0.0), X, y, [0, 1])[0].points
    assert (cheap[:, -1] < 0.4).all()


def test_a_model_of_log_losses_needs_positive_ones():
    X, y = observed("fabolas")
    _, notes = search("fabolas", log_loss=True).recommend(no_memory(2), X, y, make_generators([0, 1]))
    assert notes[0]["predicted"] > 0
    y[0, 0, 0] = -1.0
    with pytest.raises(ValueError, match="log_loss: a loss is -1; allowed: positive losses"):
        propose(search("fabolas", log_loss=True), X, y, [0, 1])


def problem(seed):
    """A random problem that models find hard: (name, X, y)."""
    rng = np.random.default_rng(seed)
    name = ("fabolas", "mtbo", "entropy_search")[seed % 3]
    X, y = observed(name, runs=1, n=int(rng.integers(1, 25)), seed=seed)
    kind = seed // 3 % 6
    if kind == 0:  # repeated points
        X[:, rng.integers(X.shape[1], size=X.shape[1])] = X[:, :1].clone()
    losses = y[..., 0] if y.ndim == 3 else y
    if kind == 1:
        losses.fill_(float(rng.normal()))
    elif kind == 2:
        losses.mul_(10.0 ** rng.integers(-200, 100))
    elif kind == 3:
        losses.copy_(torch.as_tensor(rng.standard_cauchy(losses.shape)))
    elif kind == 4:
        losses.add_(1e12)
    if y.ndim == 3:
        y[..., 1] *= 10.0 ** float(rng.integers(-150, 150) if kind != 5 else 0)
        if kind == 5:
            y[..., 1] = torch.as_tensor(10.0 ** rng.uniform(-300, 300, size=losses.shape))
    return name, X, y


def check_problem(seed):
    name, X, y = problem(seed)
    proposer = Proposer(search(name), X[:, :0], make_generators([seed]))
    proposal = proposer.propose(X.shape[1], X, y, X[:, :0])
    assert proposal.points.isfinite().all(), (seed, name)
    ENCODINGS[name].decode(proposal.points.numpy())
    assert proposal.origins == ("policy",), (seed, name, proposal.origins)


@pytest.mark.parametrize("seed", range(18))  # every kind with every method
def test_hard_problems_are_no_problem(seed):
    check_problem(seed)


@pytest.mark.slow
def test_two_hundred_hard_problems_run_through():
    for seed in range(18, 218):
        check_problem(seed)


def test_what_was_repaired_is_noted_and_what_fails_is_a_uniform_point(monkeypatch):
    X, y = observed("fabolas")
    real = MarginalisedGP.find

    def noiseless(self, *arguments):
        theta = real(self, *arguments)
        theta[..., 0, :2], theta[..., 0, 3] = 8.0, -60.0  # of the first run: infinite length scales and no noise
        return theta

    monkeypatch.setattr(MarginalisedGP, "find", noiseless)
    proposal = Proposer(search("fabolas"), X[:, :0], make_generators([0, 1])).propose(12, X, y, X[:, :0])
    assert "not positive definite" in proposal.notes[0]["repair"] and "repair" not in proposal.notes[1]
    monkeypatch.setattr(MarginalisedGP, "find", lambda self, *arguments: real(self, *arguments) * torch.nan)
    proposal = Proposer(search("fabolas"), X[:, :0], make_generators([0, 1])).propose(12, X, y, X[:, :0])
    assert all(origin.startswith("random: the model failed") for origin in proposal.origins)
    assert proposal.points.shape == (2, 3)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("near", [0.0, 0.5])
@pytest.mark.parametrize("n", [25, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore:trial")
def test_a_smooth_function_of_one_dimension_without_noise_costs_no_model(name, n, near):
    """The representers' covariance is then of a rank far below their number, and rounding leaves it indefinite."""
    inner = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0)}))
    kinds = {"fabolas": SubsetSizes(inner, 1 / 64, 1.0), "mtbo": Tasks(inner, 1.0, (0.25,))}
    encoding = kinds.get(name, FullData(inner))
    X = torch.as_tensor(np.stack([encoding.sample(n, np.random.default_rng(run)) for run in range(6)]))
    if name == "fabolas":
        X[:, n // 2 :, -1] = 1.0
    s = torch.tensor([encoding.budgets(points) or [1.0] * n for points in X], dtype=torch.float64)
    loss = (X[..., 0] - 0.3).square() + 0.1 * (1 - s)
    settings = SETTINGS[name](candidates=25, near_representers=near, warm_burn_in=None)
    policy = InformationSearch(encoding, lambda basis: MarginalisedGP(chains=4, basis=basis), settings)
    proposer = Proposer(policy, X[:, :0], make_generators(range(6)))
    proposal = proposer.propose(n, X, torch.stack([loss, s], -1) if encoding.priced else loss, X[:, :0])
    assert proposal.origins == ("policy",) * 6


def test_a_suggestion_that_can_tell_nothing_says_so():
    """A line, known without noise: one of the representers is surely the minimum."""
    X, y = observed("entropy_search", runs=2, n=30)
    y[0] = X[0].sum(-1)
    proposer = Proposer(search("entropy_search", burn_in=15), X[:, :0], make_generators([0, 1]))
    with pytest.warns(UserWarning, match="trial 30 of run 0: the suggestion is arbitrary: no candidate tells which"):
        first, second = proposer.propose(30, X, y, X[:, :0]).notes
    assert first["gain"] < 1e-12 and "arbitrary" in first["doubt"]
    assert second["gain"] > 1e-6 and "doubt" not in second


def test_representers_near_the_recommendation_are_drawn_from_a_mixture():
    """Its density is scipy's."""
    centre = torch.tensor([[[0.3, 0.6]]], dtype=torch.float64)
    policy = search("entropy_search", near_representers=0.4)
    x = torch.rand(1, 50, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    normal = multivariate_normal(centre[0, 0], SPREAD**2 * np.eye(2)).pdf(x[0])
    np.testing.assert_allclose(policy._log_proposal(x, centre)[0].exp(), 0.6 + 0.4 * normal, rtol=1e-9)
