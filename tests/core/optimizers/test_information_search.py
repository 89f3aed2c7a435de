"""Entropy search, MTBO and Fabolas as policies: what they propose and recommend, and that nothing stops them."""

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace

from core.models.gaussian_process import MarginalisedGP
from core.optimizers.data_shares import FullData, SubsetSizes, Tasks
from core.optimizers.information_search import InformationSearch
from core.optimizers.proposer import Proposer
from core.randomness import make_generators
from core.spaces import CubeEncoding

INNER = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)}))
ENCODINGS = {
    "fabolas": SubsetSizes(INNER, 1 / 64, 1.0),
    "mtbo": Tasks(INNER, 1.0, (0.25,)),
    "entropy_search": FullData(INNER),
}


def search(name, candidates=50, chains=2, burn_in=5, **given):
    return InformationSearch(
        ENCODINGS[name],
        lambda basis: MarginalisedGP(chains=chains, burn_in=burn_in, basis=basis),
        representers=10,
        candidates=candidates,
        **{"overhead": 1.0, **given},
    )


def observed(name, runs=2, n=12, seed=0):
    """X, and losses whose best is at (0.3, 0.7), with costs."""
    encoding = ENCODINGS[name]
    X = np.stack([encoding.sample(n, np.random.default_rng(seed + run)) for run in range(runs)])
    budgets = [encoding.budgets(points) or [1.0] * n for points in X]
    X, s = torch.as_tensor(X), torch.tensor(budgets, dtype=torch.float64)
    loss = (X[..., 0] - 0.3).square() + (X[..., 1] - 0.7).square() + 0.1 * (1 - s)
    return X, torch.stack([loss, 100 * s], -1) if encoding.priced else loss


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_run_s_proposal_does_not_depend_on_the_others(name):
    X, y = observed(name, runs=3)
    together = search(name).propose(X, y, X[:, :0], make_generators([0, 1, 2]))
    alone = search(name).propose(X[1:2], y[1:2], X[1:2, :0], make_generators([1]))
    torch.testing.assert_close(together.points[1:2], alone.points, rtol=1e-6, atol=1e-6)
    assert together.notes[1]["recommended"] == alone.notes[0]["recommended"]
    again = search(name).propose(X, y, X[:, :0], make_generators([0, 1, 2]))
    assert torch.equal(again.points, together.points) and again.notes == together.notes


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_recommendation_is_the_best_predicted_on_the_full_data(name):
    X, y = observed(name, n=30)
    _, notes = search(name, burn_in=15).recommend(X, y, make_generators([0, 1]))
    for run in range(2):
        regret = (X[run, :, :2] - torch.tensor([0.3, 0.7])).square().sum(-1)
        assert regret[notes[run]["recommended"]] <= regret.sort().values[2]
        assert notes[run]["predicted"] == pytest.approx(regret[notes[run]["recommended"]].item(), abs=0.1)


def test_chains_continue_from_the_last_suggestion_of_the_same_runs():
    X, y = observed("fabolas")

    def propose(policy, seeds, runs=2):
        return policy.propose(X[:runs], y[:runs], X[:runs, :0], make_generators(seeds)).points

    going, resumed = (search("fabolas", continues=True) for _ in range(2))
    assert torch.equal(propose(going, [0, 1]), propose(search("fabolas"), [0, 1]))
    resumed.restore(going.state())
    second = propose(going, [2, 3])
    assert torch.equal(second, propose(resumed, [2, 3])) and not torch.equal(second, propose(search("fabolas"), [2, 3]))
    alone = propose(search("fabolas"), [4], runs=1)
    assert torch.equal(propose(going, [4], runs=1), alone), "with other runs, new chains"


def test_points_under_evaluation_are_not_proposed_again():
    X, y = observed("entropy_search", runs=1)
    policy, generators = search("entropy_search", candidates=400), lambda: make_generators([0])
    first = policy.propose(X, y, X[:, :0], generators()).points
    second = policy.propose(X, y, first.unsqueeze(1), generators()).points
    assert (first - second).abs().max() > 1e-3


def test_cheaper_is_chosen_where_it_tells_as_much():
    """The loss is the same on all shares: a suggestion for nothing, and the smallest tells as much per evaluation."""
    X, y = observed("fabolas", n=20)
    y[..., 0] = (X[..., 0] - 0.3).square() + (X[..., 1] - 0.7).square()
    cheap = search("fabolas", candidates=300, overhead=0.0).propose(X, y, X[:, :0], make_generators([0, 1])).points
    assert (cheap[:, -1] < 0.4).all()


def test_a_model_of_log_losses_needs_positive_ones():
    X, y = observed("fabolas")
    _, notes = search("fabolas", log_loss=True).recommend(X, y, make_generators([0, 1]))
    assert notes[0]["predicted"] > 0
    y[0, 0, 0] = -1.0
    with pytest.raises(ValueError, match="log_loss: a loss is -1; allowed: positive losses"):
        search("fabolas", log_loss=True).propose(X, y, X[:, :0], make_generators([0, 1]))


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
