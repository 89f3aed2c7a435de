"""Shapes of claims about models of captions (section 4.2, appendix B) and convolutional networks (section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, absent, bootstrap_interval, cell_rows, frame_of, judge, worded
from core.report.statistics.intervals import mean, mean_difference, share_interval
from core.report.verdicts.shapes.shape import Benchmark, Method, Methods, shape
from papers.dngo.runs import IMAGES, counts_of, failed, mean_bleu, scores, searched

if TYPE_CHECKING:
    from core.spaces import CubeEncoding


@shape
def good_after_rounds(results: Results, method: Method, rounds: int, seed: int, above: float) -> Check:
    """The best score after some rounds, each as many models as there are workers, is over a share of the last one."""
    workers = searched(results, method).groupby("run")["worker"].max().max() + 1
    best = np.maximum.accumulate(scores(results, method), axis=-1)
    early = best[:, min(rounds * int(workers), best.shape[1]) - 1]
    return judge(bootstrap_interval(early / best[:, -1], mean, seed), lower=above, detail=f"{workers} workers")


@shape
def focuses_and_visits(
    results: Results, method: Method, others: Method, promising: float, unpromising: float, seed: int, above: float
) -> list[Check]:
    """In the second half of the searches more models than with another method are promising, and some are not.

    Args:
        promising, unpromising: Shares of the best score above which a model shows promise, below which it does not.
        above: Share of unpromising models that is some.
    """
    ours, theirs = scores(results, method), scores(results, others)
    runs, half = min(len(ours), len(theirs)), ours.shape[1] // 2
    best = np.maximum(ours.max(1), 0)[:runs, None]
    late, random = ours[:runs, half:] / best, theirs[:runs, half:] / best
    shares = tuple((each > promising).mean(1) for each in (late, random))
    focused = judge(bootstrap_interval(shares, mean_difference, seed, paired=True), lower=0.0)
    visits = judge(bootstrap_interval((late < unpromising).mean(1), mean, seed), lower=above)
    words = ("promising models more than with random search", "unpromising models")
    return [worded(focused, words[0], ".2f"), worded(visits, words[1], ".2f")]


@shape
def infeasible_share(results: Results, method: Method, above: float) -> Check:
    """The share of a method's configurations that are too large, too slow or diverge is above a share."""
    share = share_interval(failed(results, method).ravel())
    return judge(share, lower=above, detail=f"share of {method} configurations")


@shape
def scores_above_others(results: Results, method: Method, others: str) -> Check:
    """Test BLEU of a model is above that of others, which we do not have."""
    counts_of(results, method)  # not run
    return absent(others)


@shape
def bleu_gain(results: Results, better: Method, worse: Method, seed: int) -> Check:
    """Test BLEU of one model or ensemble minus that of another, images resampled; above 0."""
    pair = counts_of(results, better), counts_of(results, worse)
    runs = min(each.shape[1] for each in pair)
    pair = tuple(each[:, :runs] for each in pair)
    interval = bootstrap_interval(pair, _difference, seed, n=2000, paired=True)
    words = f"BLEU, percent, of {len(pair[0])} images by the models of {runs} searches"
    return judge(interval, lower=0.0, detail=words)


@shape
def bleu_gains(results: Results, methods: Methods, seed: int) -> list[Check]:
    """Test BLEU of each model or ensemble minus that of the one before it; above 0."""
    steps = zip(methods[1:], methods, strict=False)
    return [worded(bleu_gain(results, *step, seed), f"{step[0]} minus {step[1]}", ".2f") for step in steps]


@shape
def captions_match(results: Results, method: Method, seed: int) -> Check:
    """BLEU of captions with their own images' references minus that with other images'; above 0."""
    pair = counts_of(results, method), counts_of(results, method, "other_")
    interval = bootstrap_interval(pair, _difference, seed, n=2000, paired=True)
    return judge(interval, lower=0.0, detail="BLEU, percent")


def _difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return mean_bleu(first) - mean_bleu(second)


@shape
def inaccurate_captions(results: Results, method: Method, above: float) -> Check:
    """The share of captions that have more words of another image's references than of their own is above a share."""
    own, other = (counts_of(results, method, prefix)[..., 0] for prefix in ("", "other_"))
    return judge(share_interval((other > own).ravel()), lower=above, detail="share of captions")


@shape
def best_models_apart(results: Results, method: Method, others: Method, models: int, seed: int, above: float) -> Check:
    """Mean distance between a search's best models in the unit cube, over that between all of another method's."""
    from core.objectives.spaces import caption_space  # imports ConfigSpace, which drawing does not need
    from core.spaces import CubeEncoding

    encoding = CubeEncoding(caption_space())
    best = [_spread(encoding, rows.nlargest(models, "bleu")) for rows in _successes(results, method)]
    all_models = [_spread(encoding, rows) for _, rows in searched(results, others).groupby("run")]
    ratio = np.array(best) / np.mean(all_models)
    return judge(bootstrap_interval(ratio, mean, seed), lower=above, detail="distance over that of random models")


def _spread(encoding: CubeEncoding, rows: pd.DataFrame) -> float:
    """Mean distance between pairs of configurations in the unit cube."""
    names = [name for name in encoding.space if name != "factors"]
    given = [
        {name: row[name] for name in names} | ({"factors": int(row["factors"])} if row["factors"] else {})
        for row in rows.to_dict("records")
    ]
    points = encoding.encode(given)
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return float(distances[np.triu_indices(len(points), 1)].mean())


@shape
def kind_leads(results: Results, method: Method, first: str, second: str, seed: int) -> Check:
    """Highest validation BLEU of models of one kind minus that of another kind, in each search; above 0."""
    lead = []
    for rows in _successes(results, method):
        best = rows.groupby("model")["bleu"].max()
        lead.append(best.get(first, 0.0) - best.get(second, 0.0))
    return judge(bootstrap_interval(np.array(lead), mean, seed), lower=0.0, detail="BLEU, percent")


def _successes(results: Results, method: str) -> Iterator[pd.DataFrame]:
    """The models of each search that violate no constraint."""
    rows = searched(results, method)
    rows = rows[rows["status"] == "ok"]
    if rows.empty:
        raise NotRunError("captions")
    return (each for _, each in rows.groupby("run"))


@shape
def later_errors_below(
    results: Results,
    benchmark: Benchmark,
    method: Method,
    seed: int,
    above: float = -math.inf,
    below: float = math.inf,
) -> Check:
    """The share of later evaluations with an error below the median of the earlier ones lies in a region."""
    shares = []
    for _, rows in cell_rows(frame_of(results, "networks"), benchmark, method).groupby("run"):
        errors = rows.sort_values("evaluation")["loss"].to_numpy()
        half = len(errors) // 2
        shares.append((errors[half:] < np.median(errors[:half])).mean())
    interval = bootstrap_interval(np.array(shares), mean, seed)
    return judge(interval, above, below, detail=f"{IMAGES[benchmark]}: {interval.text()} of them are below")
