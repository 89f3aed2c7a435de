"""The authors' own learning curves: convolutional networks on CIFAR-10, as records like those of our collections.

Of 265 networks 256 have a final performance, which is the error after the last epoch; they are taken to be the 256 of
thesis 5.4.1. Batch size and numbers of units are not whole numbers in the files, so the space here is continuous.
The files that the catalogue has tell the seconds of all 40 epochs together: each epoch has its share.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.data import load_frame
from papers.lcnet.curve_sets import AUTHORS, CurveSet, curve_set

EPOCHS = 40


def authors_records(all_curves: bool = False, download: bool = True) -> pd.DataFrame:
    """The hyperparameters of the 256 networks, and the lists `curve` and `seconds`, one value per epoch.

    Args:
        all_curves: whether to give the nine without a final performance as well.
        download: whether to fetch the curves if no folder has them.

    Raises:
        DataUnavailableError: they are in none of the catalogue's places.
    """
    frame = load_frame("authors_lcnet_cnn", download=download)
    frame = frame if all_curves else frame[frame["final_performance"].notna()]
    curves = frame[[f"error_{epoch}" for epoch in range(1, EPOCHS + 1)]].to_numpy(np.float32)
    seconds = np.repeat(frame["runtime"].to_numpy(np.float32)[:, None] / EPOCHS, EPOCHS, axis=1)
    columns = {
        "batch_size": frame["batch_size"],
        "learning_rate": 10.0 ** frame["log10_learning_rate"],
        **{f"units_{layer}": 2.0 ** frame[f"log2_n_units_{layer}"] for layer in (1, 2, 3)},
    }
    return pd.DataFrame(columns | {"curve": list(curves), "seconds": list(seconds)}).reset_index(drop=True)


def authors_cnn(all_curves: bool = False, download: bool = True) -> CurveSet:
    """The curves of the 256 networks as a set; arguments and errors as of `authors_records`."""
    return curve_set(AUTHORS, authors_records(all_curves, download))
