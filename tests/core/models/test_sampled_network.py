"""Minibatches cover an epoch; predictions in blocks, for any batch shape, are those of the networks one by one."""

import numpy as np
import pytest
import torch

from core.foundation.randomness import make_generators
from core.foundation.validation import check_counts, check_positive
from core.models import sampled_network
from core.models.sampled_network import SampledNetwork, minibatches


class Fixed(SampledNetwork):
    """Random weights, three samples of two runs; standardized by data of its own."""

    def __init__(self) -> None:
        super().__init__(widths=(5, 4), activation="tanh", device="cpu")
        generator = torch.Generator().manual_seed(0)
        X = 3 + 2 * torch.randn(2, 9, 2, dtype=torch.float64, generator=generator)
        self.prepare(X, X.sum(-1))
        self.samples = torch.randn(3, 2, self.network.num_weights, generator=generator)
        self.noise_variance = torch.tensor([[0.1], [0.4]], dtype=torch.float64)
        self.runs, self.dimension = 2, 2


@pytest.mark.parametrize(("n", "batch_size", "sizes"), [(7, 3, [3, 3, 1]), (6, 3, [3, 3]), (4, 10, [4])])
def test_an_epoch_visits_every_point_of_every_run_once(n, batch_size, sizes):
    y = torch.arange(2 * n, dtype=torch.float64).view(2, n)
    X = torch.stack([y, -y], -1)
    batches = list(minibatches(X, y, batch_size, make_generators([0, 1])))
    assert [targets.shape[1] for _, targets in batches] == sizes
    for inputs, targets in batches:
        torch.testing.assert_close(inputs, torch.stack([targets, -targets], -1))
    assert torch.equal(torch.cat([targets for _, targets in batches], 1).sort(1).values, y)


def test_the_order_is_new_each_epoch_and_each_runs_own():
    y = torch.arange(30.0).expand(2, 30)
    generators = make_generators([0, 1])
    first, second = (next(minibatches(y.unsqueeze(-1), y, 30, generators))[1] for _ in range(2))
    assert not torch.equal(first, second) and not torch.equal(first[0], first[1])


@pytest.mark.parametrize("leading", [(), (3,), (3, 2)])
@pytest.mark.parametrize("elements", [1, 2**23])
def test_predictions_are_the_networks_one_by_one(monkeypatch, leading, elements):
    monkeypatch.setattr(sampled_network, "BLOCK_ELEMENTS", elements)
    model = Fixed()
    X = 3 + torch.randn(*leading, 2, 4, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    means, noise = model.predict(X)
    assert means.shape == (3, *leading, 2, 4) and means.dtype == torch.float64
    for run in range(2):
        location, scale = model.inputs.mean[run], model.inputs.scale[run]
        standard = ((X[..., run, :, :] - location) / scale).float()
        for sample in range(3):
            output = model.network.forward(model.samples[sample, run], standard).double()
            expected = output * model.targets.scale[run] + model.targets.mean[run]
            torch.testing.assert_close(means[sample, ..., run, :], expected, rtol=1e-5, atol=1e-5)
        expected_noise = model.noise_variance[run] * model.targets.scale[run] ** 2
        torch.testing.assert_close(noise.expand_as(means)[0, ..., run, 0], expected_noise.expand(*leading, 1)[..., 0])


def test_settings_out_of_range_are_named():
    check_counts("Model", epochs=1)
    check_positive("Model", rate=0.1)
    with pytest.raises(ValueError, match=r"Model\.epochs is 0; allowed: a whole number from 1"):
        check_counts("Model", steps=3, epochs=0)
    with pytest.raises(ValueError, match=r"Model\.epochs is True; allowed: a whole number from 1"):
        check_counts("Model", epochs=True)
    check_counts("Model", epochs=np.int64(3))
    for value in (0.0, -1.0, float("inf"), float("nan"), "0.1", True):
        with pytest.raises(ValueError, match=f"rate is {value!r}; allowed: positive and finite numbers"):
            check_positive("Model", rate=value)
