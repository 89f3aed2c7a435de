"""The bounds on martingales whose law is known, and the counterexamples against their closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from papers.nnbo_regret.martingale import (
    Paths,
    bound_in_expectation,
    bound_of_run,
    bound_with_constants,
    optimum_bias,
    revealed,
)


def gaussian(runs: int, n: int, variance: float = 1.0, drift: float = 0.0) -> Paths:
    """Independent normal increments on a predicted regret of `drift` a query."""
    noise = np.sqrt(variance) * np.random.default_rng(7).standard_normal((runs, n))
    return Paths(drift + noise, np.full((runs, n), drift), np.full((runs, n), variance))


def test_processes_are_the_sums_of_the_equations():
    paths = Paths(np.array([[1.0, 2.0, 4.0]]), np.array([[0.5, -1.0, 1.0]]), np.array([[1.0, 2.0, 3.0]]))
    assert paths.increments.tolist() == [[0.5, 3.0, 3.0]]
    assert paths.martingale.tolist() == [[0.5, 3.5, 6.5]]
    assert paths.cumulative_predicted_regret.tolist() == [[0.5, -0.5, 0.5]]
    assert paths.predictable_variation.tolist() == [[1.0, 3.0, 6.0]]
    assert paths.quadratic_variation.tolist() == [[0.25, 9.25, 18.25]]
    np.testing.assert_allclose(paths.average_regret, [[1, 1.5, 7 / 3]])
    np.testing.assert_allclose(paths.martingale, paths.cumulative_regret - paths.cumulative_predicted_regret)


def test_eq_30_by_hand():
    """eps 1 at n = 4 with S_n = 2 and <M>_n = 8: (4 - 2)^2 / (4 * 8) printed, / (2 * 8) in the limit."""
    paths = Paths(np.zeros((1, 4)), np.full((1, 4), 0.5), np.full((1, 4), 2.0))
    exponent = paths.exponent(1.0)
    assert bound_of_run(exponent, 2.0)[0, -1] == pytest.approx(np.exp(-4 / 32))
    assert bound_of_run(exponent, np.inf)[0, -1] == pytest.approx(np.exp(-4 / 16))
    assert (bound_of_run(paths.exponent(0.4), 2.0) == 1).all()  # n eps < S_n: nothing is said


def test_without_variation_the_bound_is_zero_or_vacuous():
    still = Paths(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
    assert (bound_of_run(still.exponent(0.5), 2.0) == 0).all()
    assert (bound_of_run(still.exponent(0.0), 2.0) == 1).all()


@pytest.mark.parametrize("drift", [0.0, 0.2])
def test_bounds_lie_above_the_exact_tail_of_normal_increments(drift):
    """M_n is normal with variance n, S_n and <M>_n are constants: all forms agree and hold."""
    paths, eps = gaussian(400, 60, drift=drift), 0.5
    exact = stats.norm.sf((eps - drift) * np.sqrt(paths.queries))
    limit = bound_of_run(paths.exponent(eps), np.inf)
    np.testing.assert_allclose(limit[0], np.exp(-((eps - drift) ** 2) * paths.queries / 2))
    assert (limit >= exact).all() and (bound_of_run(paths.exponent(eps), 2.0) >= limit).all()
    np.testing.assert_allclose(bound_in_expectation(paths.exponent(eps)), limit[0])
    np.testing.assert_allclose(bound_with_constants(paths, eps), limit[0])
    empirical = (paths.average_regret > eps).mean(0)
    assert (empirical <= limit[0] + 4 * np.sqrt(exact * (1 - exact) / 400)).all()


def test_dropping_the_expectation_is_no_bound():
    """Runs with variance 9 or 0.01: the mean of the exponents says far less than the probability that is there."""
    variance = np.where(np.arange(2_000)[:, None] < 1_000, 9.0, 0.01) * np.ones((1, 20))
    noise = np.sqrt(variance) * np.random.default_rng(0).standard_normal(variance.shape)
    paths = Paths(noise, np.zeros_like(variance), variance)
    exponent = paths.exponent(1.0)
    probability = (paths.average_regret[:, -1] > 1.0).mean()  # half of the normal tail at sqrt(20) / 3
    assert probability == pytest.approx(stats.norm.sf(np.sqrt(20) / 3) / 2, abs=0.015)
    assert np.exp(-exponent[:, -1].mean()) < 1e-100
    assert bound_in_expectation(exponent)[-1] > probability
    assert bound_with_constants(paths, 1.0)[-1] > probability


@given(st.integers(0, 2**31), st.integers(2, 8), st.integers(1, 12), st.floats(0.01, 2.0))
def test_order_of_the_forms(seed, runs, n, eps):
    """For any runs: the limit is below the printed form, and none with the expectation is below its smallest run."""
    generator = np.random.default_rng(seed)
    paths = Paths(*generator.normal(size=(2, runs, n)), generator.exponential(size=(runs, n)))
    exponent = paths.exponent(eps)
    printed, limit = bound_of_run(exponent, 2.0), bound_of_run(exponent, np.inf)
    assert (limit <= printed).all() and (printed <= 1).all()
    expected = bound_in_expectation(exponent)
    assert (limit.min(0) - 1e-12 <= expected).all() and (expected <= limit.max(0) + 1e-12).all()
    assert (bound_with_constants(paths, eps) >= limit.min(0) - 1e-12).all()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((2, 3))), r"shapes .*\(2, 2\)"),
        ((np.zeros(3), np.zeros(3), np.zeros(3)), r"\(runs, n\)"),
        ((np.full((1, 2), np.nan), np.zeros((1, 2)), np.zeros((1, 2))), "regret is not finite"),
        ((np.zeros((1, 2)), np.zeros((1, 2)), np.full((1, 2), -1.0)), "variance is -1.0"),
    ],
)
def test_paths_refuse(arrays, message):
    with pytest.raises(ValueError, match=message):
        Paths(*arrays)


def test_p_must_be_above_one():
    with pytest.raises(ValueError, match="p = 1"):
        bound_of_run(np.zeros((1, 1)), 1)


def test_revealed_optimum_breaks_the_martingale_and_the_bound():
    """Each increment alone is what the lemma says, their sum is not, and the bound falls below the probability."""
    runs, n, eps = 20_000, 40, 0.7
    paths = revealed(runs, n, np.random.default_rng(3))
    y, m = paths.increments, paths.martingale
    np.testing.assert_allclose(y.mean(0), 0, atol=5 * np.sqrt(2 / runs))
    np.testing.assert_allclose(y.var(0), 2, rtol=0.06)
    assert m[:, -1].var() == pytest.approx(n**2 + n, rel=0.06)  # <M>_n = 80
    past, following = m[:, 9], y[:, 10]
    slope = (past * following).mean() / (past**2).mean()
    assert slope == pytest.approx(1 / 11, abs=5 * np.sqrt(1 / 110 / runs))  # E[Y_11 | past] = M_10 / 11
    exact = stats.norm.cdf(-eps * np.sqrt(paths.queries / (paths.queries + 1)))  # P[R_n / n > eps]
    np.testing.assert_allclose((paths.average_regret > eps).mean(0), exact, atol=5 * 0.5 / np.sqrt(runs))
    np.testing.assert_allclose(bound_of_run(paths.exponent(eps), np.inf)[0], np.exp(-paths.queries * eps**2 / 4))
    assert bound_with_constants(paths, eps)[-1] < 0.01 < 0.2 < exact[-1]


def test_an_optimum_that_depends_on_f_biases_the_increments():
    assert optimum_bias(1) == pytest.approx(0, abs=1e-9)
    assert optimum_bias(2) == pytest.approx(1 / np.sqrt(np.pi))
    f = np.random.default_rng(5).standard_normal((50_000, 10))
    first = f.max(1) - f[:, 0]
    assert first.mean() == pytest.approx(optimum_bias(10), abs=5 * first.std() / np.sqrt(len(f)))
    with pytest.raises(ValueError, match="points = 0"):
        optimum_bias(0)
