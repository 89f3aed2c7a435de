"""The martingale of the regret and the bound of Theorem 4.3: Brofos et al., Eqs. 10 to 14, 17, 25 to 32.

f is maximized, as in the paper, and arrays are (runs, n): a row per run, a column per query after the initial design.
With r_i = f(x*) - f(x_i) and the model's mean mu_i and covariance k_i before query i,

    s_i = mu_i(x*) - mu_i(x_i)                                           predicted regret
    V_i = k_i(x_i, x_i) + k_i(x*, x*) - 2 k_i(x*, x_i)                   its variance                        (Eq. 17)
    Y_i = r_i - s_i                                                      increment                           (Eq. 14)
    M_n = sum Y_i = R_n - S_n                                            augmented cumulative regret         (Eq. 11)
    <M>_n = sum V_i,   [M]_n = sum Y_i^2                                 predictable and quadratic variation (Eq. 26)

Signs: Eqs. 11, 14 and the text below Eq. 28 print -mu(nu_i) + mu(nu*) and S_n = sum mu_i(x_i) - mu_i(x*), which would
add the predicted regret instead of subtracting it; the increments are then not centred even where the model is right.

The inequality behind the theorem (Eq. 24): where E[exp(t Y_i) | past] <= exp(alpha^2 t^2 V_i / 2) for all t, the
process exp(t M_n - alpha^2 t^2 <M>_n / 2) is a supermartingale, and Hoelder's inequality with t = x b / alpha^2 gives,
for constants x, b > 0 and every p > 1,

    P[M_n >= x b <M>_n] <= E[exp(-(p - 1) x^2 b^2 <M>_n / (2 alpha^2))]^(1/p).

Eq. 30 substitutes x b = (n eps - S_n) / <M>_n, with alpha = 1. Two things are lost on the way: the expectation (Eq.
28), and the condition that x b is a constant, since S_n and <M>_n are random. `bound_of_run` is what is printed,
`bound_in_expectation` restores the expectation, and `bound_with_constants` has constants and is what the increments'
properties actually imply.

Two counterexamples in closed form ask in which filtration M_n would be a martingale. Lemma 4.1 conditions Y_n on the
data D_n and on Y_1, ..., Y_(n-1) at once, and says that f given both is still the posterior GP(mu_n, k_n). Neither
reading works. In the filtration of the data M_n is not adapted, since Y_i contains f(x*), which the data do not reveal.
In its own filtration, Y_1 and f(x_1) reveal f(x*), and later increments are no longer centred.

`revealed`: values of f are independent standard normals, observed without noise; x* is a given point, each query a new
one. Then mu_i = 0, s_i = 0, V_i = 2, all of Lemma 4.1's claims hold for each Y_i = f(x*) - f(x_i) by itself, and yet

    E[Y_(n+1) | Y_1, ..., Y_n] = M_n / (n + 1),   Var M_n = n^2 + n instead of <M>_n = 2 n,
    P[R_n / n > eps] = Phi(-eps sqrt(n / (n + 1))), which does not decay, against exp(-n eps^2 / 4) by the theorem.

`optimum_bias`: let x* instead be the best of m such points, as it is the best point of the f that the probability is
over. Then the first increment has the mean E[max of m standard normals] > 0 (1 / sqrt(pi) for m = 2), not 0: the
posterior mean at a point that is the optimum is too low on average, so the increments lean to the right, against the
bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

POWERS = np.array([1.01, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0])
"""The p > 1 over which the infimum of Eq. 24 is taken."""


@dataclass(frozen=True)
class Paths:
    """What is recorded of the runs on one benchmark, each (runs, n), maximized.

    regret: r_i; predicted_regret: s_i; variance: V_i.
    """

    regret: np.ndarray
    predicted_regret: np.ndarray
    variance: np.ndarray

    def __post_init__(self) -> None:
        shapes = {name: np.shape(value) for name, value in vars(self).items()}
        if len(set(shapes.values())) > 1 or np.ndim(self.regret) != 2:
            raise ValueError(f"Paths: shapes {shapes}; allowed: the same (runs, n) for all three")
        for name, value in vars(self).items():
            if not np.isfinite(value).all():
                raise ValueError(f"Paths: {name} is not finite everywhere; leave failed runs out")
        if (self.variance < 0).any():
            raise ValueError(f"Paths: variance is {self.variance.min()} somewhere; allowed: at least 0")

    @property
    def increments(self) -> np.ndarray:
        """Y_i."""
        return self.regret - self.predicted_regret

    def after(self, first: int) -> Paths:
        """The processes restarted at column `first`; a martingale remains one."""
        return Paths(*(value[:, first:] for value in vars(self).values()))

    def as_printed(self) -> Paths:
        """The same paths with the predicted regret's sign as Eqs. 11 and 14 print it."""
        return Paths(self.regret, -self.predicted_regret, self.variance)

    @property
    def martingale(self) -> np.ndarray:
        """M_n."""
        return self.increments.cumsum(1)

    @property
    def cumulative_regret(self) -> np.ndarray:
        """R_n."""
        return self.regret.cumsum(1)

    @property
    def average_regret(self) -> np.ndarray:
        """R_n / n."""
        return self.cumulative_regret / self.queries

    @property
    def cumulative_predicted_regret(self) -> np.ndarray:
        """S_n."""
        return self.predicted_regret.cumsum(1)

    @property
    def predictable_variation(self) -> np.ndarray:
        """<M>_n."""
        return self.variance.cumsum(1)

    @property
    def quadratic_variation(self) -> np.ndarray:
        """[M]_n."""
        return np.square(self.increments).cumsum(1)

    @property
    def queries(self) -> np.ndarray:
        """n = 1, 2, ..., (n,)."""
        return np.arange(1, self.regret.shape[1] + 1)

    def exponent(self, threshold: float) -> np.ndarray:
        """(n eps - S_n)^2 / (2 <M>_n) where n eps > S_n, else 0, which makes every bound 1."""
        margin = self.queries * threshold - self.cumulative_predicted_regret
        return _exponent(margin, self.predictable_variation)


def bound_of_run(exponent: np.ndarray, p: float) -> np.ndarray:
    """The right-hand side of Eq. 30 run by run, the expectation dropped as in Eq. 28: exp(-(p - 1) / p exponent).

    p = 2 is what is printed; p = infinity is the infimum of Eq. 27 once the expectation is gone.
    """
    if not p > 1:
        raise ValueError(f"bound_of_run: p = {p}; allowed: above 1")
    return np.exp(-(1 - 1 / p) * exponent)


def bound_in_expectation(exponent: np.ndarray) -> np.ndarray:
    """Eq. 27 with the mean over the runs in place of the expectation, at the best p > 1; (runs, n) -> (n,).

    As p grows, only the run with the smallest exponent counts: that limit is the last candidate.
    """
    runs = len(exponent)
    sums = special.logsumexp(-(POWERS[:, None, None] - 1) * exponent, axis=1)  # (powers, n), whose exp underflows
    logs = (sums - np.log(runs)) / POWERS[:, None]
    return np.exp(np.minimum(logs.min(0), -exponent.min(0)))


def bound_with_constants(paths: Paths, threshold: float) -> np.ndarray:
    """A bound on P[R_n > n eps] that sub-Gaussian increments imply, (n,).

    For constants s < n eps and v the event is covered by {S_n > s}, {<M>_n > v} and {M_n > n eps - s, <M>_n <= v}, so

        P[R_n > n eps] <= P[S_n > s] + P[<M>_n > v] + exp(-(n eps - s)^2 / (2 v)).

    s and v are the (k + 1)-th largest over the runs, so the first two terms are at most k / runs each; the best k is
    taken.
    """
    runs = len(paths.regret)
    highest_first = (slice(None, None, -1), slice(None))
    s = np.sort(paths.cumulative_predicted_regret, axis=0)[highest_first]
    v = np.sort(paths.predictable_variation, axis=0)[highest_first]
    left_out = 2 * np.arange(runs)[:, None] / runs
    bounds = left_out + np.exp(-_exponent(paths.queries * threshold - s, v))
    return np.minimum(bounds.min(0), 1)


def _exponent(margin: np.ndarray, variation: np.ndarray) -> np.ndarray:
    """margin^2 / (2 variation) where the margin is positive, else 0; infinite without any variation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.square(margin) / (2 * variation)
    return np.where(margin > 0, exponent, 0.0)


def revealed(runs: int, n: int, generator: np.random.Generator) -> Paths:
    """Runs of the first counterexample; regret here means f(x*) - f(x_i) and may be negative."""
    at_optimum = generator.standard_normal((runs, 1))
    at_queries = generator.standard_normal((runs, n))
    return Paths(at_optimum - at_queries, np.zeros((runs, n)), np.full((runs, n), 2.0))


def optimum_bias(points: int) -> float:
    """E[Y_1] of the second counterexample, the mean of the largest of `points` standard normals."""
    if points < 1:
        raise ValueError(f"optimum_bias: points = {points}; allowed: at least 1")

    def integrand(x: float) -> float:
        return x * points * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * special.ndtr(x) ** (points - 1)

    from scipy import integrate  # which no drawing needs

    return float(integrate.quad(integrand, -9, 9)[0])
