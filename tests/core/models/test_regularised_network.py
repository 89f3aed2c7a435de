"""Dropout and weight decay a layer: the gradient against autograd, the masks, and the plain network as special case."""

import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.network import MLP
from core.models.representation import RegularisedRepresentation

G = torch.Generator().manual_seed(0)


def make(dropouts=(0.2, 0.5), decays=(0.1, 0.2, 0.3), **settings) -> RegularisedRepresentation:
    return RegularisedRepresentation(widths=(6, 4), weight_decays=decays, dropouts=dropouts, **settings)


@pytest.mark.parametrize("activation", ["tanh", "relu", "relu+tanh"])
def test_gradient_with_masks_is_that_of_autograd(activation):
    model = make(activation=activation)
    model.network = MLP((3, 6, 4, 1))
    model.theta = model.network.init(make_generators([1, 2]), 2).double().requires_grad_()
    X, y = torch.randn(2, 9, 3, generator=G).double(), torch.randn(2, 9, generator=G).double()
    masks = (torch.rand(2, 9, 10, generator=G) > 0.3).double() / 0.7
    a = X
    layers = model.network.unpack(model.theta)
    acts = [torch.relu if activation.startswith("relu") else torch.tanh]
    acts.append(torch.tanh if activation.endswith("tanh") else torch.relu)
    for (W, b), act, mask in zip(layers, acts, masks.split([6, 4], -1)):
        a = act(a @ W + b.unsqueeze(1)) * mask
    W, b = layers[-1]
    loss = 0.5 * ((a @ W + b.unsqueeze(1)).squeeze(-1) - y).square().mean(1).sum()
    (expected,) = torch.autograd.grad(loss, model.theta)
    model.theta = model.theta.detach()
    out = torch.empty_like(model.theta)
    model.error_gradient(model.theta, out)(X, y, masks.split(model.widths, -1))
    torch.testing.assert_close(out, expected)


def test_masks_drop_each_layer_at_its_rate_and_keep_the_mean():
    masks = make(dropouts=(0.2, 0.5))._masks(torch.zeros(1, 20_000, 3), make_generators([5]))
    first, second = masks.split([6, 4], -1)
    assert set(first.unique().tolist()) == {0.0, 1.25} and set(second.unique().tolist()) == {0.0, 2.0}
    assert (first == 0).double().mean().item() == pytest.approx(0.2, abs=0.01)
    assert masks.mean((0, 1)).tolist() == pytest.approx([1] * 10, abs=0.05)


def test_decay_acts_on_its_own_layer_only():
    """Without error to reduce (targets 0, output weights pulled to 0) the layers shrink as their decays say."""
    X, y = torch.zeros(1, 8, 2), torch.zeros(1, 8)
    settings = {"epochs": 200, "learning_rate": 0.1, "momentum": 0.0}
    model = make(dropouts=(0.0, 0.0), decays=(0.0, 1.0, 0.0), **settings).fit(X, y, make_generators([1]))
    start = MLP((2, 6, 4, 1)).init(make_generators([1]), 1)
    before, after = ([W.norm().item() for W, _ in model.network.unpack(theta)] for theta in (start, model.theta))
    assert after[0] == pytest.approx(before[0], rel=1e-5) and after[1] < 0.01 * before[1]


def test_dropout_changes_what_is_learned_and_features_have_none():
    X, y = torch.randn(1, 40, 2, generator=G), torch.randn(1, 40, generator=G)
    plain, dropped = (
        make(dropouts=rates, decays=(0, 0, 0), epochs=5).fit(X, y, make_generators([1]))
        for rates in ((0.0, 0.0), (0.5, 0.5))
    )
    assert not torch.equal(plain.theta, dropped.theta)
    assert torch.equal(dropped.features(X), dropped.features(X)) and (dropped.features(X) != 0).all()


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"decays": (0.1, 0.1)}, "weight_decays: must have 3 entries for 2 layers"),
        ({"decays": (0.1, -0.1, 0.1)}, "weight_decays: must all be at least 0"),
        ({"dropouts": (0.1,)}, "dropouts: must have 2 entries for 2 layers"),
        ({"dropouts": (0.1, 1.0)}, r"dropouts: must all be in \[0, 1\)"),
    ],
)
def test_settings_that_do_not_fit(settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)
