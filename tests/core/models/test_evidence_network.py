"""Features by evidence maximization: Eq. 8 against the density it stands for, its gradient, and what training does."""

import math

import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.dngo import EvidenceRepresentation, log_evidence
from core.models.linear_regression import Regression
from core.models.network import MLP

G = torch.Generator().manual_seed(0)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=G)


def test_eq_8_is_the_density_of_the_targets():
    features, y = normal(2, 7, 3), normal(2, 7)
    log_alpha, log_beta = torch.tensor([0.3, -1.0]).double(), torch.tensor([1.2, 0.1]).double()
    covariance = features @ features.mT / log_alpha.exp()[:, None, None] + torch.eye(7) / log_beta.exp()[:, None, None]
    expected = torch.distributions.MultivariateNormal(torch.zeros(2, 7).double(), covariance).log_prob(y)
    torch.testing.assert_close(log_evidence(features, y, log_alpha, log_beta), expected)


@pytest.mark.parametrize("points", [5, 40])
def test_it_is_that_of_the_singular_values(points):
    features, y, log_alpha, log_beta = normal(3, points, 10), normal(3, points), normal(3), normal(3)
    other = Regression(features, y.unsqueeze(-1)).log_evidence(torch.ones(3, 1).double(), log_alpha, log_beta)
    torch.testing.assert_close(log_evidence(features, y, log_alpha, log_beta), other)


def test_gradients_through_the_factorisation():
    arguments = [normal(1, 6, 3), normal(1, 6), normal(1), normal(1)]
    assert torch.autograd.gradcheck(log_evidence, [value.requires_grad_() for value in arguments])


def data(runs: int = 2) -> tuple[torch.Tensor, torch.Tensor]:
    X = normal(runs, 30, 2)
    y = (2 * X[..., 0]).sin() + X[..., 1]
    return X, (y - y.mean(1, keepdim=True)) / y.std(1, keepdim=True)


def test_training_raises_the_evidence_of_random_features():
    X, y = data()
    trained = EvidenceRepresentation(widths=(8, 8), epochs=200).fit(X, y, make_generators([1, 2]))
    start = EvidenceRepresentation(widths=(8, 8), epochs=1, learning_rate=1e-12).fit(X, y, make_generators([1, 2]))

    def best(model: EvidenceRepresentation) -> torch.Tensor:
        grid = torch.arange(-6, 8, 0.5).double()
        values = [log_evidence(model.features(X), y, a.expand(2), b.expand(2)) for a in grid for b in grid]
        return torch.stack(values).amax(0)

    reached = log_evidence(trained.features(X), y, trained.log_alpha, trained.log_beta)
    assert (reached > best(start) + 5).all()
    assert (trained.log_beta <= -math.log(1e-8)).all() and not trained.theta.requires_grad


def test_a_run_is_the_same_alone():
    X, y = data()
    both = EvidenceRepresentation(widths=(5,), epochs=20).fit(X, y, make_generators([1, 2]))
    alone = EvidenceRepresentation(widths=(5,), epochs=20).fit(X[1:], y[1:], make_generators([2]))
    torch.testing.assert_close(both.theta[1:], alone.theta)


def test_the_output_layer_stays_where_it_started():
    X, y = data(1)
    model = EvidenceRepresentation(widths=(5,), epochs=3, weight_decay=0.0).fit(X, y, make_generators([3]))
    start = MLP((2, 5, 1)).init(make_generators([3]), 1).double()
    assert torch.equal(model.theta[:, -6:], start[:, -6:])
    assert not torch.equal(model.theta[:, :-6], start[:, :-6])


def test_as_many_updates_as_minibatches_would_take():
    assert EvidenceRepresentation(epochs=3, batch_size=32).updates(33) == 6
