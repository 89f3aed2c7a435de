"""Training times of a grid of support vector machines, where only a part of the largest subsets was timed.

For the largest share s0 of which every machine was timed, and a larger share s, the growth

    g_s(C, gamma) = log t(C, gamma, s) - log t(C, gamma, s0)

is known where t was measured at s; elsewhere it is interpolated linearly in log C and log gamma, and constant beyond
the outermost measured values. Then t(C, gamma, s) = t(C, gamma, s0) e^g.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.interpolate import interpn

from core.foundation.errors import UserError


def timed_everywhere(records: pd.DataFrame) -> pd.DataFrame:
    """The records with a time for every machine, and a column `measured` that says which times were measured.

    Args:
        records: Records with `C`, `gamma`, `share` and `seconds`, the last nan where no time was measured; each share
            has the same grid of C and gamma.

    Raises:
        UserError: no share was timed at every machine, or a larger one was not timed on a grid of C and gamma.
    """
    ordered = records.sort_values(["share", "gamma", "C"], ignore_index=True)
    shares, gammas, Cs = (np.unique(ordered[name]) for name in ("share", "gamma", "C"))
    if len(ordered) != len(shares) * len(gammas) * len(Cs):
        raise UserError(f"{len(ordered)} records of support vector machines; allowed: one for each C, gamma and share")
    seconds = ordered["seconds"].to_numpy(float).reshape(len(shares), len(gammas), len(Cs))
    measured = np.isfinite(seconds)
    whole = measured.all((1, 2))
    if not whole.any():
        raise UserError("records of support vector machines: no share was timed at every C and gamma; needed: one")
    base = np.log(seconds[np.flatnonzero(whole)[-1]])
    logs = np.stack(
        [
            np.log(part) if complete else base + _growth(np.log(part) - base, np.log(gammas), np.log(Cs), share)
            for part, complete, share in zip(seconds, whole, shares, strict=True)
        ]
    )
    return ordered.assign(seconds=np.where(measured, seconds, np.exp(logs)).ravel(), measured=measured.ravel())


def _growth(
    known: NDArray[np.float64], gammas: NDArray[np.float64], Cs: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Growth (gammas, Cs), nan where it is not known, filled in."""
    rows, columns = np.isfinite(known).any(1), np.isfinite(known).any(0)
    inner = known[np.ix_(rows, columns)]
    if not inner.size or np.isnan(inner).any():
        raise UserError(f"share {share:g}: machines were timed that are not a grid of C and gamma; needed: a grid")
    at = np.stack(
        np.meshgrid(
            np.clip(gammas, gammas[rows].min(), gammas[rows].max()),
            np.clip(Cs, Cs[columns].min(), Cs[columns].max()),
            indexing="ij",
        ),
        axis=-1,
    )
    if min(inner.shape) == 1:
        raise UserError(f"share {share:g}: timed at {inner.shape} values of gamma and C; needed: two or more of each")
    return np.asarray(interpn((gammas[rows], Cs[columns]), inner, at))
