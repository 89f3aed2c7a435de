"""Two counterexamples to Lemma 4.1 in closed form: in which filtration would M_n be a martingale?

Lemma 4.1 conditions Y_n on the data D_n and on Y_1, ..., Y_(n-1) at once, and says that f given both is still the
posterior GP(mu_n, k_n). Neither reading works. In the filtration of the data M_n is not adapted, since Y_i contains
f(x*), which the data do not reveal. In its own filtration, Y_1 and f(x_1) reveal f(x*), and later increments are no
longer centred.

`revealed`: values of f are independent standard normals, observed without noise; x* is a given point, each query a new
one. Then mu_i = 0, s_i = 0, V_i = 2, all of Lemma 4.1's claims hold for each Y_i = f(x*) - f(x_i) by itself, and yet

    E[Y_(n+1) | Y_1, ..., Y_n] = M_n / (n + 1),   Var M_n = n^2 + n instead of <M>_n = 2 n,
    P[R_n / n > eps] = Phi(-eps sqrt(n / (n + 1))), which does not decay, against exp(-n eps^2 / 4) by the theorem.

`optimum_bias`: let x* instead be the best of m such points, as it is the best point of the f that the probability is
over.
Then the first increment has the mean E[max of m standard normals] > 0 (1 / sqrt(pi) for m = 2), not 0: the posterior
mean at a point that is the optimum is too low on average, so the increments lean to the right, against the bound.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from papers.nnbo_regret.martingale import Paths


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
