"""tanh, random bits, normals and shuffles of the compiled engine against numpy, scipy and published sequences."""

import numba
import numpy as np
import pytest
from scipy import stats

from core.compiled.elementary import exponential, next_bits, next_word, seed_states, shuffle, tanh
from core.compiled.simd import LANES, lane_sum, load, maximum, minimum, store
from tests.core.models.engines.replay import fill_normals


@numba.njit
def fill_bits(lanes, out):
    s0, s1, s2, s3 = load(lanes, 0), load(lanes, LANES), load(lanes, 2 * LANES), load(lanes, 3 * LANES)
    for start in range(0, len(out), LANES):
        bits, s0, s1, s2, s3 = next_bits(s0, s1, s2, s3)
        store(out, start, bits)


@numba.njit
def apply_tanh(values, out):
    for k in range(0, len(values), LANES):
        store(out, k, tanh(load(values, k)))


@numba.njit
def apply_exponential(values, out):
    for k in range(0, len(values), LANES):
        store(out, k, exponential(load(values, k)))


@numba.njit
def clamp(values, out):
    x = load(values, 0)
    store(out, 0, minimum(maximum(x, -1.0), 1.0))
    return lane_sum(x)


@numba.njit
def words(state, out):
    for k in range(len(out)):
        out[k], state = next_word(state)


def test_tanh_is_accurate_odd_and_keeps_nan():
    values = np.concatenate([np.linspace(-12, 12, 2**16), np.logspace(-30, 30, 2**12)]).astype(np.float32)
    out = np.empty_like(values)
    apply_tanh(values, out)
    assert np.abs(out - np.tanh(values.astype(np.float64))).max() < 5e-7
    small = np.abs(values) < 0.1
    np.testing.assert_allclose(out[small], np.tanh(values[small].astype(np.float64)), rtol=5e-7)
    mirrored = np.empty_like(out)
    apply_tanh(-values, mirrored)
    np.testing.assert_array_equal(mirrored, -out)
    special = np.array([np.nan, np.inf, -np.inf, 0, 1, 1, 1, 1], np.float32)
    out = np.empty_like(special)
    apply_tanh(special, out)
    assert np.isnan(out[0]) and out[3] == 0
    np.testing.assert_allclose(out[1:3], [1, -1], atol=5e-7)


def test_exponential_is_accurate_and_keeps_nan():
    values = np.concatenate([np.linspace(-87, 88, 2**16), -np.logspace(-30, 1, 2**10)]).astype(np.float32)
    out = np.empty_like(values)
    apply_exponential(values, out)
    np.testing.assert_allclose(out, np.exp(values.astype(np.float64)), rtol=3e-7)
    special = np.array([np.nan, -np.inf, np.inf, 0, -0.0, -1000, 1000, 1], np.float32)
    out = np.empty_like(special)
    apply_exponential(special, out)
    assert np.isnan(out[0]) and out[3] == out[4] == 1
    assert 0 < out[1] == out[5] < 1e-37 and np.isfinite(out[2]) and out[2] == out[6] > 1e38


def test_extremes_keep_nan_and_lanes_add_up():
    values = np.array([np.nan, -3, 3, 0.5, 0, 0, 0, 1], np.float32)
    out = np.empty_like(values)
    clamp(values, out)
    np.testing.assert_array_equal(out, [np.nan, -1, 1, 0.5, 0, 0, 0, 1])
    assert clamp(np.arange(8, dtype=np.float32), out) == 28


def test_splitmix64_gives_its_published_numbers():
    """Of Rosetta Code's task "Pseudo-random numbers/Splitmix64", seed 1234567."""
    out = np.empty(3, np.uint64)
    words(np.uint64(1234567), out)
    assert out.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_lanes_are_xoshiro128_plus_plus():
    """Numbers of the reference implementation from state (1, 2, 3, 4), which the crate rand_xoshiro tests too."""
    state = [1, 2, 3, 4]
    out = np.empty(LANES * 4, np.uint32)
    lanes = np.repeat(np.array(state, np.uint32), LANES)
    fill_bits(lanes, out)
    assert out[::LANES].tolist() == [641, 1573767, 3222811527, 3517856514]
    assert (out.reshape(4, LANES) == out[::LANES, None]).all()


@pytest.fixture(scope="module")
def normals():
    """(chains, draws, lanes) of four chains with consecutive seeds."""
    lanes, _ = seed_states(np.arange(4, dtype=np.uint64))
    out = np.empty((4, 2**18 * LANES), np.float32)
    for chain in range(4):
        fill_normals(lanes[chain], out[chain])
    return out.reshape(4, -1, LANES).astype(np.float64)


def test_normals_have_the_moments_of_a_normal(normals):
    n = normals.size
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)):
        assert abs((normals**power).mean() - moment) < 4.5 * np.sqrt(variance / n), power


def test_normals_pass_kolmogorov_smirnov_in_every_lane(normals):
    for lane in range(LANES):
        for half in range(2):  # cosines and sines
            assert stats.kstest(normals[:, half::2, lane].ravel(), "norm").pvalue > 1e-6


def test_normals_have_the_tails_of_a_normal(normals):
    for bound in (2, 3, 4, 4.5):
        for tail in ((normals > bound).sum(), (normals < -bound).sum()):
            expected = normals.size * stats.norm.sf(bound)
            assert abs(tail - expected) < 4.5 * np.sqrt(expected), bound


def test_normals_are_independent_across_lanes_draws_and_chains(normals):
    series = [normals[chain, half::2, lane] for chain in range(4) for half in range(2) for lane in range(LANES)]
    for transform in (lambda x: x, lambda x: (x**2 - 1) / np.sqrt(2), np.sign):
        columns = np.stack([transform(x) for x in series])
        n = columns.shape[1]
        together = columns @ columns.T / n
        assert np.abs(together - np.diag(np.diag(together))).max() < 5.5 / np.sqrt(n)
        for lag in (1, 2, 3, 8):
            lagged = columns[:, :-lag] @ columns[:, lag:].T / n
            assert np.abs(lagged).max() < 5.5 / np.sqrt(n)


def test_shuffles_are_uniform():
    order, state, counts = np.arange(4, dtype=np.int32), np.uint64(3), {}
    draws = 24_000
    for _ in range(draws):
        state = shuffle(order, state)
        counts[tuple(order)] = counts.get(tuple(order), 0) + 1
    assert len(counts) == 24
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6
