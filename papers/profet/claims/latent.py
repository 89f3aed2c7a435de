"""Claims about the latent space (8.4.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, frame_of, judge
from core.report.statistics.reductions import mean
from core.tabular.ranks import spearman
from papers.profet.artifacts.latent_figures import vectors

SEED = 83
COHERENT = 0.9  # rank correlation, the least that may be called coherent
NEAR = 0.5  # of the distances between all subsets


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="The nearest neighbour of each half of a data set is its other half.",
    published=0,
)
def halves_are_neighbours(results: Results) -> Check:
    """How many halves have another neighbour, on average over the embeddings; none, that is below one half.

    The embedding depends on where its fit starts: a single one, here as in the thesis, has no interval.
    """
    lost = [_astray(rows) for _, rows in frame_of(results, "latent_halves").groupby("run")]
    counts = [len(names) for names in lost]
    detail = f"not so in the first of {len(lost)} embeddings: {', '.join(lost[0])}" if lost[0] else ""
    return judge(bootstrap_interval(counts, mean, SEED), upper=0.5, detail=detail)


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="The first latent dimension coherently follows the size of the subset, which the encoder never sees.",
    published="coherent",
)
def first_dimension_orders_subsets(results: Results) -> Check:
    """The rank correlation of the dimension in which tasks vary most with the share, up to its sign; above 0.9."""
    values = [abs(spearman(means[:, 0], shares)) for means, shares in _subsets(results)]
    return judge(bootstrap_interval(values, mean, SEED), lower=COHERENT, detail=f"{len(values)} draws")


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="Subsets of similar sizes are close to each other in the latent space.",
    published="close",
)
def similar_subsets_are_close(results: Results) -> Check:
    """The mean distance of subsets of neighbouring sizes over that of all pairs; below one half."""
    ratios = []
    for means, shares in _subsets(results):
        ordered = means[np.argsort(shares)]
        distances = np.linalg.norm(ordered[:, None] - ordered, axis=-1)
        ratios.append(np.diagonal(distances, 1).mean() / distances[np.triu_indices(len(ordered), 1)].mean())
    return judge(bootstrap_interval(ratios, mean, SEED), upper=NEAR, detail=f"{len(ratios)} draws")


def _astray(rows: pd.DataFrame) -> list[str]:
    """The halves in one embedding whose nearest neighbour is not the other half of their set."""
    names, means = vectors(rows)
    sets = [name.partition("/")[0] for name in names]
    distances = np.linalg.norm(means[:, None] - means, axis=-1)
    np.fill_diagonal(distances, np.inf)
    return [names[task] for task, nearest in enumerate(distances.argmin(1)) if sets[nearest] != sets[task]]


def _subsets(results: Results) -> list[tuple[np.ndarray, np.ndarray]]:
    """Means of the latent vectors and shares of each run."""
    frame = frame_of(results, "latent_fractions")
    subsets = []
    for _, rows in frame.groupby("run"):
        names, means = vectors(rows)
        subsets.append((means, np.array([float(name) for name in names])))
    return subsets
