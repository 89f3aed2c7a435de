"""Networks: shapes, numbers of parameters as published and in closed form."""

import pytest
import torch

from core.errors import UserError
from core.vision import ConvolutionalNetwork, ResidualNetwork
from core.vision.layers import parameters
from core.vision.networks.residual import parameter_count


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
