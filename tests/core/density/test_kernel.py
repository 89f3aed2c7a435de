"""The multivariate density against statsmodels' KDEMultivariate, its own integrals and its own samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.nonparametric.kernel_density import KDEMultivariate

from core.density import KernelDensity, normal_reference


def mixed_points(n: int, kinds: list[int], generator: np.random.Generator) -> np.ndarray:
    """n points (n, d); kind 0 is continuous, k > 1 categorical with k choices, all of which occur."""
    points = generator.random((n, len(kinds)))
    for j, choices in enumerate(kinds):
        if choices:
            codes = np.concatenate([np.arange(choices), generator.integers(choices, size=n - choices)])
            points[:, j] = (generator.permutation(codes) + 0.5) / choices
    return points


def statsmodels_form(points: np.ndarray, kinds: list[int]) -> np.ndarray:
    """Choices as their codes."""
    return np.where(kinds, np.floor(points * np.maximum(kinds, 1)), points)


@pytest.mark.parametrize("kinds", [[0], [3], [0, 0, 0], [2, 4], [0, 2, 0, 5, 3, 0], [0] * 8 + [2] * 8])
@pytest.mark.parametrize("scale", [1.0, 0.02])
def test_densities_are_those_of_statsmodels_at_equal_bandwidths(kinds, scale):
    generator = np.random.default_rng(len(kinds))
    data, x = mixed_points(60, kinds, generator), mixed_points(20, kinds, generator)
    x[:10] = np.clip(data[:10] + np.where(kinds, 0.0, 0.01 * generator.random(len(kinds))), 0, 1)
    bandwidths = scale * generator.uniform(0.05, 0.4, len(kinds))
    peer = KDEMultivariate(
        statsmodels_form(data, kinds), "".join("u" if kind else "c" for kind in kinds), bw=bandwidths
    )
    expected = peer.pdf(statsmodels_form(x, kinds))
    ours = KernelDensity(data, bandwidths, {j: kind for j, kind in enumerate(kinds) if kind})
    visible = np.atleast_1d(expected) > 1e-290
    assert visible.sum() >= 10
    np.testing.assert_allclose(np.exp(ours.log_density(x))[visible], np.atleast_1d(expected)[visible], rtol=1e-10)


def test_bandwidths_are_the_normal_reference_of_statsmodels():
    """For numbers and for two choices; only there do codes mean something."""
    kinds = [0, 0, 2]
    data = mixed_points(40, kinds, np.random.default_rng(0))
    peer = KDEMultivariate(statsmodels_form(data, kinds), "ccu", bw="normal_reference")
    np.testing.assert_allclose(normal_reference(data, {2: 2}), peer.bw, rtol=1e-12)


def test_bandwidths_do_not_depend_on_the_order_of_choices():
    codes = np.array([0, 0, 0, 1, 1, 2, 3])
    bandwidths = [
        normal_reference(((p[codes] + 0.5) / 4)[:, None], {0: 4}) for p in (np.arange(4), np.array([3, 0, 2, 1]))
    ]
    assert bandwidths[0] == pytest.approx(bandwidths[1], rel=1e-14)
    assert bandwidths[0][0] == pytest.approx(1.06 * np.sqrt((1 - (9 + 4 + 1 + 1) / 49) / 2) * 7 ** (-1 / 5))


def test_a_bandwidth_is_never_below_the_minimum_nor_beyond_the_flat_kernel():
    points = np.tile([[0.3, 1 / 4]], (9, 1))
    density = KernelDensity.fit(points, {1: 2}, minimum_bandwidth=0.3)
    np.testing.assert_array_equal(density.bandwidths, [0.3, 0.3])
    assert KernelDensity(points, [0.3, 7.0], {1: 2}).bandwidths[1] == 0.5


def test_the_density_is_normalized():
    """Over the real line for a number, over the choices for a categorical coordinate."""
    generator = np.random.default_rng(1)
    density = KernelDensity(mixed_points(9, [0, 3], generator), [0.1, 0.4], {1: 3})
    line = np.linspace(-2, 3, 4001)
    total = sum(
        np.trapezoid(np.exp(density.log_density(np.column_stack([line, np.full(4001, (i + 0.5) / 3)]))), line)
        for i in range(3)
    )
    assert total == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("factor", "categorical_factor"), [(1.0, 1.0), (3.0, 3.0), (3.0, 1.0), (1.0, 2.0)])
def test_samples_have_the_density_with_multiplied_bandwidths(factor, categorical_factor):
    generator = np.random.default_rng(2)
    data = np.array([[0.5, 1 / 6], [0.55, 1 / 6], [0.45, 5 / 6]])
    density = KernelDensity(data, [0.02, 0.15], {1: 3})
    drawn = density.sample(40000, generator, factor, categorical_factor)
    wide = KernelDensity(data, [0.02 * factor, 0.15 * categorical_factor], {1: 3})
    counts = np.bincount((drawn[:, 1] * 3).astype(int), minlength=3)
    middle = np.linspace(0.0, 1.0, 2001)
    shares = [
        np.trapezoid(np.exp(wide.log_density(np.column_stack([middle, np.full(2001, (i + 0.5) / 3)]))), middle)
        for i in range(3)
    ]
    np.testing.assert_allclose(counts / 40000, shares, atol=0.01)
    assert drawn[:, 0].mean() == pytest.approx(0.5, abs=0.003)
    assert drawn[:, 0].var() == pytest.approx((0.02 * factor) ** 2 + data[:, 0].var(), rel=0.05)


def test_a_redrawn_choice_stays_the_same_once_in_k():
    """With probability h = 0.3 one of k = 3 choices is drawn uniformly: it changes with probability 0.2."""
    density = KernelDensity(np.full((1, 1), 1 / 6), [0.3], {0: 3})
    changed = density.sample(40000, np.random.default_rng(3), redraw=True)[:, 0] * 3 >= 1
    assert changed.mean() == pytest.approx(0.2, abs=0.012)  # six standard errors


def test_far_from_the_data_the_logarithm_stays_finite_and_ordered():
    """The density itself is 0 there in double precision."""
    density = KernelDensity(np.full((5, 20), 0.1), np.full(20, 1e-3), {})
    near, far = density.log_density(np.array([np.full(20, 0.8), np.full(20, 0.9)]))
    assert np.isfinite([near, far]).all() and far < near < -1e6


@given(
    kinds=st.lists(st.sampled_from([0, 0, 2, 3, 7]), min_size=1, max_size=6),
    n=st.integers(1, 30),
    scale=st.sampled_from([0.0, 1e-9, 0.3, 1.0]),
    minimum=st.sampled_from([1e-3, 0.3, 5.0]),
    factor=st.sampled_from([0.1, 1.0, 3.0, 100.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_samples_are_inside_of_the_cube_and_densities_finite(kinds, n, scale, minimum, factor, seed):
    """Also for points that are all equal, that lie on the border, or for one point; only legal choices occur."""
    generator = np.random.default_rng(seed)
    points = np.clip(generator.choice([0.0, 0.5, 1.0]) + scale * (generator.random((n, len(kinds))) - 0.5), 0, 1)
    choices = {j: kind for j, kind in enumerate(kinds) if kind}
    for j, kind in choices.items():
        points[:, j] = (generator.integers(kind, size=n) + 0.5) / kind if scale else 0.5 / kind
    density = KernelDensity.fit(points, choices, minimum)
    drawn = density.sample(50, generator, factor, factor)
    assert ((drawn >= 0) & (drawn <= 1)).all()
    for j, kind in choices.items():
        assert np.isin(drawn[:, j], (np.arange(kind) + 0.5) / kind).all()
    assert np.isfinite(density.log_density(drawn)).all()


@pytest.mark.parametrize(
    ("points", "bandwidths"), [(np.empty((0, 2)), [1, 1]), (np.ones((3, 2)), [1]), (np.ones((3, 2)), [1, 0])]
)
def test_unusable_points_and_bandwidths_are_refused(points, bandwidths):
    with pytest.raises(ValueError, match="allowed"):
        KernelDensity(points, bandwidths, {})
