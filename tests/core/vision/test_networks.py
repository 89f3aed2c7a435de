"""Networks: shapes, numbers of parameters as published and in closed form."""

import pytest
import torch

from core.foundation.errors import UserError
from core.vision import AllConvolutional, ConvolutionalNetwork, ResidualNetwork, ShakeShake, shake_shake
from core.vision.all_convolutional import described_layers
from core.vision.convolutional import Dropout, draw_from, parameters
from core.vision.residual import parameter_count


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("size", "left"), [(15, 1), (16, 1), (24, 2), (32, 3)])
def test_the_convolutional_network_has_the_parameters_of_its_formula(size, left):
    a, b, c, classes = 5, 7, 6, 4
    network = ConvolutionalNetwork((a, b, c), size, classes, generator())
    assert network(torch.randn(2, 3, size, size)).shape == (2, classes)
    expected = 75 * a + 25 * a * b + 25 * b * c + 2 * (a + b + c) + (left**2 * c + 1) * classes
    assert parameters(network) == expected


def test_images_too_small_to_be_pooled_are_refused():
    with pytest.raises(UserError, match="at least 15"):
        ConvolutionalNetwork((4, 4, 4), 14, 10, generator())


@pytest.mark.parametrize(("blocks", "published"), [(3, 0.27), (5, 0.46), (7, 0.66), (9, 0.85)])
def test_residual_networks_have_the_parameters_of_he_et_al(blocks, published):
    """He et al. 2016, Table 6: millions of parameters of ResNet-20, 32, 44 and 56."""
    assert parameters(ResidualNetwork(blocks, 16, 10, generator())) / 1e6 == pytest.approx(published, abs=0.01)


@pytest.mark.parametrize("reduction", ["stride", "max_pooling"])
@pytest.mark.parametrize("shared", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("blocks", [1, 3])
def test_shared_filters_count_once(blocks, shared, reduction):
    network = ResidualNetwork(blocks, 8, 10, generator(), shared, reduction)
    assert parameters(network) == parameter_count(blocks, 8, 10, shared)
    assert network(torch.randn(2, 3, 16, 16)).shape == (2, 10)
    assert network.features(torch.randn(2, 3, 16, 16)).shape == (2, 32)


def test_blocks_with_all_filters_in_common_compute_the_same():
    network = ResidualNetwork(3, 4, 10, generator(), shared=1.0).eval()
    X = torch.randn(2, 4, 8, 8)
    blocks, common = network.stages[0].blocks, network.stages[0].common
    torch.testing.assert_close(blocks[0](X, *common), blocks[2](X, *common))


def test_a_block_whose_filters_are_zero_passes_its_input_on():
    network = ResidualNetwork(2, 4, 10, generator()).eval()
    block = network.stages[0].blocks[1]
    torch.nn.init.zeros_(block.second)
    X = torch.rand(2, 4, 8, 8)
    torch.testing.assert_close(block(X, *network.stages[0].common), X)


@pytest.mark.parametrize("given", [{"blocks": 0}, {"width": 0}, {"shared": 1.5}, {"reduction": "mean"}])
def test_bad_residual_networks_are_refused(given):
    with pytest.raises(UserError, match=next(iter(given))):
        ResidualNetwork(**{"blocks": 1, "width": 4, "classes": 10, "generator": generator(), **given})


def test_the_generator_alone_determines_the_weights():
    first, again, other = (list(ResidualNetwork(1, 4, 10, generator(seed)).parameters()) for seed in (0, 0, 1))
    assert all(map(torch.equal, first, again))
    assert not torch.equal(first[0], other[0])


def test_dngos_network_has_the_layers_of_table_3():
    layers = described_layers(classes=(10, 100), size=27)
    assert [layer.filters for layer in layers if layer.type == "Convolution"] == [
        "96", "96", "192", "192", "192", "192", "192", "10/100",
    ]  # fmt: skip
    assert [layer.type for layer in layers].index("Max pooling") == 2 and layers[-2].window == "6 x 6"
    network = AllConvolutional(10, generator(), width=6, dropout=(0.1, 0.2, 0.3))
    a, b, c = 6, 12, 10
    weights = 27 * a + 9 * a * a + 9 * a * b + 3 * 9 * b * b + b * b + b * c
    assert parameters(network) == weights + 2 * a + 5 * b + c
    rates = [layer.rate for layer in network.layers if isinstance(layer, Dropout)]
    assert rates == [0.1, 0.2, 0.3]


def test_initial_deviations_are_those_of_a_filter():
    """DNGO A.3: sigma over the root of the number of parameters of a filter, the first layer with its own."""
    network = AllConvolutional(10, generator(), width=64, deviation=1.3, input_deviation=0.2)
    first, second, *_ = [layer for layer in network.layers if isinstance(layer, torch.nn.Conv2d)]
    assert float(first.weight.detach().std() * 27**0.5) == pytest.approx(0.2, rel=0.05)
    assert float(second.weight.detach().std() * (9 * 64) ** 0.5) == pytest.approx(1.3, rel=0.02)


def test_the_thesis_shake_shake_network_has_about_8_5_million_parameters():
    network = ShakeShake(3, 64, 10, generator())
    assert parameters(network) == shake_shake.parameter_count(3, 64, 10) == 8_553_818
    convolutions = [layer for layer in network.modules() if isinstance(layer, torch.nn.Conv2d)]
    assert sum(layer.kernel_size == (3, 3) for layer in convolutions) == 1 + 2 * 18  # depth 20 with two branches


@pytest.mark.parametrize(("blocks", "width"), [(1, 4), (2, 16)])
def test_shake_shake_has_the_parameters_of_its_formula(blocks, width):
    network = ShakeShake(blocks, width, 7, generator())
    assert parameters(network) == shake_shake.parameter_count(blocks, width, 7)
    draw_from(network, generator())
    assert network(torch.randn(2, 3, 16, 16)).shape == (2, 7)


def test_branches_are_mixed_with_other_weights_forth_and_back():
    shake = shake_shake.Shake()
    shake.generator = generator()
    a, b = (torch.full((2000, 1), value, requires_grad=True) for value in (1.0, 0.0))
    mixed = shake.train()(a, b)  # the weight of a
    mixed.sum().backward()
    forth, back = mixed.detach().flatten(), a.grad.flatten()
    torch.testing.assert_close(back + b.grad.flatten(), torch.ones(2000))
    for weights in (forth, back):
        assert weights.min() >= 0 and weights.max() <= 1 and abs(float(weights.mean()) - 0.5) < 0.03
        assert float(weights.var()) == pytest.approx(1 / 12, rel=0.1)
    assert abs(float(torch.corrcoef(torch.stack([forth, back]))[0, 1])) < 0.1
    assert (shake.eval()(a, b) == 0.5).all()


def test_a_network_that_draws_needs_a_generator():
    network = ShakeShake(1, 2, 3, generator())
    with pytest.raises(RuntimeError, match="draw_from"):
        network(torch.randn(2, 3, 8, 8))


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_bad_dropout_is_refused(rate):
    with pytest.raises(UserError, match="dropout"):
        Dropout(rate)


def test_dropout_keeps_the_mean():
    layer = Dropout(0.3)
    layer.generator = generator()
    X = torch.ones(200, 100)
    dropped = layer(X)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.3, abs=0.01)
    assert float(dropped.mean()) == pytest.approx(1.0, abs=0.02)
    assert torch.equal(layer.eval()(X), X)
