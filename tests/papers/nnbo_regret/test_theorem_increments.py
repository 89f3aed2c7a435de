"""The tests of the increments on laws with known answers: normal, drifting, correlated, skewed, heavy-tailed."""

import numpy as np
import pytest
from scipy import stats

from papers.nnbo_regret import increments
from papers.nnbo_regret.martingale import Paths, revealed

RUNS, N = 100, 200


def paths_of(y: np.ndarray, variance: np.ndarray | float = 1.0) -> Paths:
    return Paths(y, np.zeros_like(y), np.broadcast_to(np.asarray(variance, dtype=float), y.shape))


def normal(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((RUNS, N))


def right_skewed(seed: int = 1) -> np.ndarray:
    """Mean 0, variance 1, rarely far below and mostly a little above: truncated, its mean is positive."""
    return 1 - np.random.default_rng(seed).exponential(size=(RUNS, N))


def test_centred_increments_pass_and_a_late_drift_is_found_where_it_is():
    generator = np.random.default_rng(0)
    assert (increments.mean_tests(normal(), 5, generator).p > 0.01).all()
    drifting = normal()
    drifting[:, 160:] += 0.15
    tests = increments.mean_tests(drifting, 5, generator)
    assert tests.p[4] < 0.01 and (tests.p[:4] > 0.01).all()
    assert tests.mean[4] == pytest.approx(0.15, abs=0.05)


def test_error_rate_of_all_stretches_together():
    """With 200 sets of centred increments, about 5% have any stretch below 0.05: 10 +- 4 standard deviations."""
    generator = np.random.default_rng(2)
    rejected = sum(
        increments.mean_tests(generator.standard_normal((20, 10)), 10, generator, flips=299).p.min() <= 0.05
        for _ in range(200)
    )
    assert rejected <= 10 + 4 * np.sqrt(200 * 0.05 * 0.95)


def test_mean_tests_of_constants():
    """No run differs from another: a nonzero mean is certain, a zero mean is no evidence."""
    generator = np.random.default_rng(0)
    assert increments.mean_tests(np.ones((10, 4)), 2, generator).p.max() < 0.05
    assert (increments.mean_tests(np.zeros((10, 4)), 2, generator).p == 1).all()
    with pytest.raises(ValueError, match="5 stretches of 4 queries"):
        increments.mean_tests(np.ones((10, 4)), 5, generator)
    with pytest.raises(ValueError, match="1 runs"):
        increments.mean_tests(np.ones((1, 4)), 2, generator)


def test_orthogonality_of_independent_equal_and_revealed_increments():
    independent = increments.orthogonality(normal(), 0)
    assert independent.low < 1 < independent.high
    equal = increments.orthogonality(np.repeat(normal()[:, :1], 50, axis=1), 0)
    assert equal.estimate == pytest.approx(50)
    # E M_n^2 / E [M]_n = (n^2 + n) / 2n
    revealing = increments.orthogonality(revealed(2_000, N, np.random.default_rng(1)).increments, 0)
    assert revealing.estimate == pytest.approx((N + 1) / 2, rel=0.1) and revealing.low > 80


def test_orthogonality_within_batches():
    batches = np.repeat(np.arange(1, N // 5 + 1), 5)
    alone = increments.batch_orthogonality(normal(), batches, 0)
    assert alone.low < 1 < alone.high
    shared = np.repeat(normal()[:, : N // 5], 5, axis=1)
    assert increments.batch_orthogonality(shared, batches, 0).estimate == pytest.approx(5)


def test_calibration_is_the_ratio_of_variances():
    interval = increments.calibration(paths_of(3 * normal(), 4.0), 0)
    assert interval.low < 9 / 4 < interval.high and interval.high - interval.low < 0.2


def test_proxies_of_known_laws():
    """alpha^2(t) is 1 at every t for the normal; for 1 - Exp(1) it is 2 (t - log(1 + t)) / t^2."""
    for interval in increments.proxies(normal(), (-1.0, 0.5, 1.0), 0):
        assert interval.low < 1 < interval.high
    for t, interval in zip((0.5, 1.0), increments.proxies(right_skewed(), (0.5, 1.0), 0), strict=True):
        exact = 2 * (t - np.log1p(t)) / t**2
        assert interval.low < exact < interval.high < 1
    heavy = increments.proxies(np.random.default_rng(0).standard_t(3, (RUNS, N)), (-2.0, 2.0), 0)
    assert all(interval.low > 1 for interval in heavy)


def test_proxies_do_not_overflow_and_leave_out_what_has_no_variance():
    z = normal()
    z[0, 0] = 1e4
    assert increments.proxies(z, (2.0,), 0)[0].estimate == pytest.approx(2 * (2e4 - np.log(z.size)) / 4)
    holes = np.concatenate([normal(), np.full((RUNS, 30), np.nan)], axis=1)
    for whole, holed in zip(*(increments.proxies(x, (1.0,), 0) for x in (normal(), holes)), strict=True):
        np.testing.assert_allclose(whole, holed)


def test_standardized_increments_without_variance_are_left_out():
    paths = Paths(np.array([[2.0, 0.0]]), np.zeros((1, 2)), np.array([[4.0, 0.0]]))
    np.testing.assert_array_equal(increments.standardized(paths), [[1.0, np.nan]])


def test_heaviness_of_symmetric_and_skewed_laws():
    generator = np.random.default_rng(4)
    sd = generator.uniform(0.5, 2, (RUNS, N))
    symmetric = increments.heaviness(paths_of(sd * normal(), sd**2))
    assert set(symmetric["side"]) == {"neither"} and len(symmetric) == 4 * len(increments.CUTS)
    right = increments.heaviness(paths_of(sd * right_skewed(), sd**2))
    assert set(right.loc[right["cut"] <= 1, "side"]) == {"right"}
    assert set(right.loc[np.isinf(right["cut"]), "side"]) == {"neither"}  # its mean is 0 all the same
    left = increments.heaviness(paths_of(-sd * right_skewed(), sd**2))
    assert set(left.loc[left["cut"] <= 1, "side"]) == {"left"}


def test_heaviness_truncates_as_defined_and_bins_by_sd():
    """E[T_1(Z)] of 1 - Exp(1) by a fine sum over its density; the bins with a shift are told from those without."""
    x = np.linspace(0, 60, 2_000_001)
    exact = np.trapezoid(np.clip(1 - x, -1, 1) * np.exp(-x), x)
    table = increments.heaviness(paths_of(right_skewed()), bins=1, cuts=(1.0,))
    assert table["low"][0] < exact < table["high"][0]
    sd = np.repeat([[1.0, 2.0, 3.0, 4.0]], RUNS, axis=0).repeat(50, axis=1)
    shifted = paths_of(sd * (normal() + (sd > 3.5)), sd**2)
    sides = increments.heaviness(shifted, cuts=(np.inf,))["side"]
    assert sides.tolist()[-1] == "right" and sides.tolist()[0] == "neither"


def test_clusters_widen_the_interval():
    """Increments that are equal within a run say no more than one of them."""
    equal = np.repeat(normal()[:, :1], N, axis=1)
    table = increments.heaviness(paths_of(equal), bins=1, cuts=(np.inf,), level=0.95)
    expected = 2 * 1.984 * equal[:, 0].std(ddof=1) / np.sqrt(RUNS)
    assert table["high"][0] - table["low"][0] == pytest.approx(expected, rel=1e-3)


def test_excess_kurtosis():
    z = right_skewed()
    assert increments.excess_kurtosis(z) == pytest.approx(stats.kurtosis(z, axis=None))
    assert increments.excess_kurtosis(normal()) == pytest.approx(0, abs=0.15)
    assert increments.excess_kurtosis(right_skewed()) == pytest.approx(6, abs=1.5)
