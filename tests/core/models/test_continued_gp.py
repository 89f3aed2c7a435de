"""Chains of hyperparameters that continue: by themselves and from a saved state, and what cannot."""

import pytest
import torch

from core.errors import UserError
from core.models.continued_gp import ContinuedGP
from core.models.gaussian_process import MarginalisedGP
from core.randomness import make_generators


def data(n, runs=2):
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(runs, n, 2, generator=generator, dtype=torch.float64)
    return X, torch.sin(5 * X[..., 0]) + X[..., 1] + 0.1 * torch.randn(runs, n, generator=generator).double()


def test_chains_that_cannot_continue_are_refused():
    X, y = data(n=6, runs=1)
    model = ContinuedGP(chains=2, burn_in=1).fit(X, y, make_generators([0]))
    with pytest.raises(UserError, match="last chains have 4 hyperparameters, these data 3"):
        model.fit(X[..., :1], y, make_generators([0]))
    for state in ({"theta": torch.zeros(3, 1, 4)}, {"theta": torch.zeros(2, 4)}, {"velocity": torch.zeros(2)}):
        with pytest.raises(UserError, match=r"chain state .*; allowed: 'theta' of shape \(2, runs, P\)"):
            ContinuedGP(chains=2).load_chain_state(state)


def test_chains_continue_by_themselves_and_from_a_saved_state():
    X, y = data(n=12)
    model, plain = ContinuedGP(chains=40, burn_in=20, warm_burn_in=2), MarginalisedGP(chains=40, burn_in=20)
    assert model.chain_state() == {}
    first = model.fit(X, y, make_generators([0, 1])).theta
    torch.testing.assert_close(first, plain.fit(X, y, make_generators([0, 1])).theta)
    restored = ContinuedGP(chains=40, burn_in=20, warm_burn_in=2)
    restored.load_chain_state(model.chain_state())
    short = MarginalisedGP(chains=40, warm_burn_in=2).fit(X, y, make_generators([2, 3]), initial=first).theta
    for each in (model, restored):
        torch.testing.assert_close(each.fit(X, y, make_generators([2, 3])).theta, short)
    # Other runs start anew.
    alone = model.fit(X[:1], y[:1], make_generators([4])).theta
    torch.testing.assert_close(alone, plain.fit(X[:1], y[:1], make_generators([4])).theta)
