"""The authors' own learning curves: convolutional networks on CIFAR-10, as a set of `papers.lcnet.curve_sets`.

Of 265 networks 256 have a final performance, which is the error after the last epoch; they are taken to be the 256 of
thesis 5.4.1. Batch size and numbers of units are not whole numbers in the files, so the space here is continuous.
The files that the catalogue has tell the seconds of all 40 epochs together: each epoch has its share.
"""

from __future__ import annotations

import numpy as np

from core.benchmarks.network_spaces import curve_space
from core.data import load_frame
from core.spaces import CubeEncoding
from papers.lcnet.curve_sets import CurveSet

EPOCHS = 40


def authors_cnn(all_curves: bool = False, download: bool = True) -> CurveSet:
    """The curves of the 256 networks.

    Args:
        all_curves: whether to give the nine without a final performance as well.
        download: whether to fetch the curves if no folder has them.

    Raises:
        DataUnavailableError: they are in none of the catalogue's places.
    """
    frame = load_frame("authors_lcnet_cnn", download=download)
    frame = frame if all_curves else frame[frame["final_performance"].notna()]
    units = {f"units_{layer}": 2.0 ** frame[f"log2_n_units_{layer}"] for layer in (1, 2, 3)}
    numbers = frame.assign(learning_rate=10.0 ** frame["log10_learning_rate"], **units)
    space = curve_space("cnn", floats=True)
    configurations = CubeEncoding(space).encode(numbers[list(space)].to_dict("records"))
    curves = frame[[f"error_{epoch}" for epoch in range(1, EPOCHS + 1)]].to_numpy(np.float64)
    seconds = np.repeat(frame["runtime"].to_numpy(np.float64)[:, None] / EPOCHS, EPOCHS, axis=1)
    return CurveSet("cnn", space, configurations, curves, seconds)
