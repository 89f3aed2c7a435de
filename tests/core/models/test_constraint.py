"""What the constraint network learns, data with one class, and expected improvement under a constraint."""

import pytest
import torch

from core.acquisition.analytic import Constrained, LogExpectedImprovement
from core.acquisition.maximizers import GradientAscent
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.constraint import NoiselessConstraint, NoisyConstraint

KINDS = [NoisyConstraint, NoiselessConstraint]
QUICK = {"widths": (20, 20), "epochs": 100}


def disc(n, runs=2, seed=0):
    X = torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return X, (X - 0.5).square().sum(-1) < 0.12


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_a_region(kind):
    X, c = disc(80)
    model = kind(**QUICK).fit(X, c, make_generators([0, 1]))
    at, truth = disc(500, seed=1)
    probability = model.probability(at)
    assert probability.shape == (2, 500) and ((probability > 0) & (probability < 1)).all()
    likelihood = torch.where(truth, probability, 1 - probability)
    assert ((likelihood > 0.5).double().mean(1) > 0.85).all()
    assert (likelihood.clamp_min(1e-6).log().mean(1) > -0.5).all()  # guessing the share of the classes gives -0.66
    assert model.probability(at.expand(3, -1, -1, -1)).shape == (3, 2, 500)
    assert model.probability(at[0, :4]).shape == (2, 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.parametrize("n", [1, 20])
def test_one_class_alone(kind, answer, n):
    X, c = disc(n)
    model = kind(**QUICK).fit(X, torch.full_like(c, answer), make_generators([0, 1]))
    probability = model.probability(X)
    assert torch.isfinite(probability).all() and ((probability > 0.5) == answer).all()


@pytest.mark.parametrize("kind", KINDS)
def test_contradictions_and_many_dimensions(kind):
    X, c = torch.full((6, 50), 0.3), torch.tensor([True, False] * 3)
    probability = kind(**QUICK).fit(X, c, make_generators([0])).probability(X)
    torch.testing.assert_close(probability, torch.full((1, 6), 0.5, dtype=torch.float64), atol=0.02, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_constrained_improvement_stays_where_it_is_valid(kind):
    """The objective falls towards the corner (0, 0), where nothing is valid.

    Improvement is 1 there and 0.49 at the nearest valid point. Of 40 networks each, the corner's probability is at most
    0.16, that of what is suggested at least 0.82.
    """
    X, c = disc(120)
    constraint = kind(**QUICK).fit(X, c, make_generators([2, 3]))
    improvement = LogExpectedImprovement(
        lambda X: (X.sum(-1), torch.full_like(X[..., 0], 1e-4)), torch.ones(2, dtype=torch.float64)
    )
    acquisition = Constrained(improvement, constraint.probability, torch.tensor([True, True]))
    search = GradientAscent(candidates=100, restarts=3)
    free, _ = search(improvement, 2, make_generators([4, 5]))
    found, _ = search(acquisition, 2, make_generators([4, 5]))
    assert (free < 0.05).all()
    of_free, of_found = (constraint.probability(at.unsqueeze(1)).squeeze(1) for at in (free, found))
    assert (of_free < 0.3).all() and (of_found > 0.6).all()
    values = acquisition(torch.stack([free, found], 1))
    assert (values[:, 1] > values[:, 0]).all()


def test_labels_may_be_arrays():
    X, c = disc(20)
    found, expected = (NoisyConstraint(**QUICK).fit(X, given, make_generators([0, 1])) for given in (c.numpy(), c))
    assert torch.equal(found.probability(X), expected.probability(X))


def test_labels_must_be_booleans():
    X, c = disc(5)
    with pytest.raises(ValueError, match=r"NoisyConstraint: c must hold booleans.*got torch.int64"):
        NoisyConstraint().fit(X, c.long(), make_generators([0, 1]))
    with pytest.raises(UserError, match="NoisyConstraint: call fit before predict"):
        NoisyConstraint().probability(X)
