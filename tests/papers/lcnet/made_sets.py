"""Made-up records of collections of learning curves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.objectives.spaces import curve_space
from core.spaces import CubeEncoding
from papers.lcnet.curves import AUTHORS, CurveSet, curve_set, summarized_curves


def records(name: str, curves: np.ndarray, seconds: np.ndarray, most_units: int | None = None) -> pd.DataFrame:
    """Records of drawn configurations with these curves and seconds of each epoch, (n, T) each; a summary of theirs."""
    if name == AUTHORS:
        return summarized_curves(authors_set(curves, seconds)).assign(benchmark=name, method="random")
    return drawn_records(name, curves, seconds, most_units)


def authors_set(curves: np.ndarray, seconds: np.ndarray) -> CurveSet:
    """A set in the authors' space, without networks that diverged."""
    return curve_set(AUTHORS, drawn_records(AUTHORS, curves, seconds)).finished()


def drawn_records(name: str, curves: np.ndarray, seconds: np.ndarray, most_units: int | None = None) -> pd.DataFrame:
    """Records of configurations drawn from the space of a set, with these curves and seconds."""
    space = curve_space("cnn", floats=True) if name == AUTHORS else curve_space(name, most_units)
    encoding = CubeEncoding(space)
    points = np.random.default_rng(len(curves)).random((len(curves), 10))
    frame = pd.DataFrame(encoding.decode(points[:, : encoding.dimension]))
    frame = frame.assign(curve=list(curves.astype(np.float32)), seconds=list(seconds.astype(np.float32)))
    frame = frame.assign(benchmark=name, method="random", run=0)
    return frame if most_units is None else frame.assign(most_units=most_units)
