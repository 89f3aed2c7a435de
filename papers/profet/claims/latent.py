"""Claims about the latent space (8.4.1)."""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, bootstrap_interval, claim, frame_of, judge
from core.report.statistics import mean
from core.tabular.ranks import spearman
from papers.profet.artifacts.latent_figures import vectors

SEED = 83
COHERENT = 0.9  # rank correlation, the least that may be called coherent
NEAR = 0.5  # of the distances between all subsets


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="The nearest neighbour of each half of a data set is its other half.",
)
def halves_are_neighbours(results: Results) -> Check:
    """How many of all halves; all of them. An exact count: the embedding has one run."""
    frame = frame_of(results, "latent_halves")
    names, means = vectors(frame[frame["run"] == frame["run"].min()])
    sets = [name.partition("/")[0] for name in names]
    distances = np.linalg.norm(means[:, None] - means, axis=-1)
    np.fill_diagonal(distances, np.inf)
    lost = [names[task] for task, nearest in enumerate(distances.argmin(1)) if sets[nearest] != sets[task]]
    holds = "fails" if lost else "holds"
    detail = f"not so: {', '.join(lost)}" if lost else ""
    return Check(f"{len(names) - len(lost)} of {len(names)}", "all", np.nan, np.nan, holds, detail)


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="The first latent dimension coherently follows the size of the subset, which the encoder never sees.",
)
def first_dimension_orders_subsets(results: Results) -> Check:
    """The rank correlation of the dimension in which tasks vary most with the share, up to its sign; above 0.9."""
    values = [abs(spearman(means[:, 0], shares)) for means, shares in _subsets(results)]
    return judge(bootstrap_interval(values, mean, SEED), "coherent", lower=COHERENT, detail=f"{len(values)} draws")


@claim(
    artifact="fig8_3",
    place="thesis 8.4.1, Fig 8.3",
    sentence="Subsets of similar sizes are close to each other in the latent space.",
)
def similar_subsets_are_close(results: Results) -> Check:
    """The mean distance of subsets of neighbouring sizes over that of all pairs; below one half."""
    ratios = []
    for means, shares in _subsets(results):
        ordered = means[np.argsort(shares)]
        distances = np.linalg.norm(ordered[:, None] - ordered, axis=-1)
        ratios.append(np.diagonal(distances, 1).mean() / distances[np.triu_indices(len(ordered), 1)].mean())
    return judge(bootstrap_interval(ratios, mean, SEED), "close", upper=NEAR, detail=f"{len(ratios)} draws")


def _subsets(results: Results) -> list[tuple[np.ndarray, np.ndarray]]:
    """Means of the latent vectors and shares of each run."""
    frame = frame_of(results, "latent_fractions")
    found = []
    for _, rows in frame.groupby("run"):
        names, means = vectors(rows)
        found.append((means, np.array([float(name) for name in names])))
    return found
