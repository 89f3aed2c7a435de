"""DNGO of the later implementation: its training against torch.nn and torch.optim, its settings, its predictions."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.dngo import DNGO
from core.models.network import MLP
from core.models.pybnn_dngo import AdamRepresentation, PybnnDNGO
from core.models.sampled_network import minibatches
from core.study.methods import method_of

WIDTHS = (7, 5)


def data(n: int, runs: int = 2) -> tuple[torch.Tensor, torch.Tensor]:
    X = torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return X, (4 * X[..., 0]).sin() + X[..., 1]


@pytest.mark.parametrize("compiled", [True, False])
def test_training_is_torch_s_adam_on_whole_batches(compiled, monkeypatch):
    """15 points in batches of 10: five of them wait in each epoch."""
    monkeypatch.setattr(AdamRepresentation, "_in_machine_code", lambda self, X: compiled)
    X, y = data(15, 1)
    found = AdamRepresentation(widths=WIDTHS, activation="tanh", epochs=20, batch_size=10, learning_rate=0.01)
    found.fit(X, y, make_generators([4]))

    generators = make_generators([4])
    shape = MLP((2, *WIDTHS, 1), initialisation="uniform")
    start = shape.init(generators, 1, X.device)
    network = nn.Sequential(nn.Linear(2, 7), nn.Tanh(), nn.Linear(7, 5), nn.Tanh(), nn.Linear(5, 1))
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    for layer, (W, b) in zip(linear, shape.unpack(start), strict=True):
        layer.weight.data, layer.bias.data = W[0].T.clone(), b[0].reshape(-1).clone()
    optimizer, steps = torch.optim.Adam(network.parameters(), 0.01), 0
    for _ in range(20):
        for inputs, targets in minibatches(X.float(), y.float(), 10, generators):
            if inputs.shape[1] == 10:
                optimizer.zero_grad()
                (0.5 * (network(inputs[0]).squeeze(-1) - targets[0]).square().mean()).backward()
                optimizer.step()
                steps += 1
    assert steps == 20
    with torch.no_grad():
        expected = network[:4](X[0].float()).double()
    torch.testing.assert_close(found.features(X)[0], expected, atol=1e-4, rtol=1e-4)


def test_machine_code_trains_every_run_by_itself_as_torch_does(monkeypatch):
    X, y = data(23, 3)
    settings = {"widths": (50, 50, 50), "activation": "tanh", "epochs": 8, "batch_size": 10, "learning_rate": 0.01}
    found = AdamRepresentation(**settings).fit(X, y, make_generators([0, 1, 2])).theta
    alone = AdamRepresentation(**settings).fit(X[1:2], y[1:2], make_generators([1])).theta
    torch.testing.assert_close(found[1:2], alone)
    monkeypatch.setattr(AdamRepresentation, "_in_machine_code", lambda self, X: False)
    expected = AdamRepresentation(**settings).fit(X, y, make_generators([0, 1, 2])).theta
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


def test_it_learns_a_function_and_its_hyperparameters_stay_in_their_range():
    X, y = data(40)
    model = PybnnDNGO(chains=4, samples=2).fit(X, y, make_generators([3, 4]))
    assert model.hyperparameters.shape == (8, 2, 2) and model.hyperparameters.abs().max() <= 10
    grid = torch.rand(2, 100, 2, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
    mean, variance = model.moments(grid)
    truth = (4 * grid[..., 0]).sin() + grid[..., 1]
    assert (mean - truth).square().mean().sqrt() < 0.3 * truth.std() and (variance > 0).all()


def test_inputs_and_targets_may_have_any_scale():
    X, y = data(20)
    seeds = [3, 4]
    plain = PybnnDNGO(epochs=30).fit(X, y, make_generators(seeds)).moments(X)[0]
    scaled = PybnnDNGO(epochs=30).fit(100 * X - 7, 50 * y + 3, make_generators(seeds)).moments(100 * X - 7)[0]
    torch.testing.assert_close(scaled, 50 * plain + 3, rtol=1e-3, atol=1e-2)


def test_the_method_s_variant_chooses_the_model():
    assert isinstance(method_of("dngo").model(5), DNGO)
    found = method_of({"method": "dngo", "variant": "pybnn", "widths": (9,), "hyperparameter_samples": 3}).model(5)
    assert isinstance(found, PybnnDNGO) and found.representation.widths == (9,) and found.chains == 3
    with pytest.raises(UserError, match="variant = 'robo'"):
        method_of({"method": "dngo", "variant": "robo"})


def test_a_network_that_diverges_says_so():
    X, y = data(12)
    with pytest.raises(ValueError, match="diverged in training with learning_rate"):
        PybnnDNGO(learning_rate=3e38).fit(X, y, make_generators([3, 4]))
