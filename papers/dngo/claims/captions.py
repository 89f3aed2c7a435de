"""Claims of section 4.2 and appendix B: the search for caption models, their ensembles and their captions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.experiment.results import Results
from core.report import (
    Check,
    NotRunError,
    absent,
    all_of,
    bootstrap_interval,
    claim,
    judge,
    outside,
    worded,
)
from core.report.statistics.reductions import mean, mean_difference
from core.report.statistics.shares import share_interval
from papers.dngo.caption_runs import best_so_far, counts_of, failed, mean_bleu, scores, searched

if TYPE_CHECKING:
    from core.spaces import CubeEncoding

SEED = 2015
ROUNDS, NEARLY = 3, 0.95
"""A few sequential steps, and the share of the final score that is high quality."""

PROMISING, UNPROMISING, SOME = 0.8, 0.5, 0.1
"""Shares of the best score above which a model shows promise, and below which it does not; and a share that is some."""

LIMITS = "the limits of size and time are ours"
PLACE = "Section 4.2"


@claim(
    artifact="fig5",
    place="Section 4.2 and Fig 5",
    sentence="With many models trained at a time, high-quality settings are found after only a few sequential steps.",
    published="a few of 3 to 8 rounds",
    headline="Good caption models after a few rounds",
)
def good_after_a_few_rounds(results: Results) -> Check:
    """DNGO's best score after three rounds, each as many models as there are workers, is over 95% of its last one."""
    workers = searched(results, "dngo").groupby("run")["worker"].max().max() + 1
    best = best_so_far(scores(results, "dngo"))
    early = best[:, min(ROUNDS * int(workers), best.shape[1]) - 1]
    return judge(bootstrap_interval(early / best[:, -1], mean, SEED), lower=NEARLY, detail=f"{workers} workers")


@claim(
    artifact="fig5",
    place="Appendix B and Fig 5",
    sentence="The search focuses on parts of the space that show promise, and goes on to visit parts that do not.",
    published="both",
)
def explores_and_exploits(results: Results) -> Check:
    """In the second half of the searches more models than with random search score above 80% of the best, and over a
    tenth below half of it.
    """
    dngo, others = scores(results, "dngo"), scores(results, "random")
    runs, half = min(len(dngo), len(others)), dngo.shape[1] // 2
    best = np.maximum(dngo.max(1), 0)[:runs, None]
    late, random = dngo[:runs, half:] / best, others[:runs, half:] / best
    promising = tuple((each > PROMISING).mean(1) for each in (late, random))
    focused = judge(bootstrap_interval(promising, mean_difference, SEED, paired=True), lower=0.0)
    visits = judge(bootstrap_interval((late < UNPROMISING).mean(1), mean, SEED), lower=SOME)
    words = ("promising models more than with random search", "unpromising models")
    return all_of([worded(focused, words[0], ".2f"), worded(visits, words[1], ".2f")])


@claim(
    artifact="fig5",
    place=PLACE,
    sentence="Most of the volume of the space is infeasible.",
    published="most",
)
def most_of_the_space_is_infeasible(results: Results) -> Check:
    """The share of random configurations that are too large, too slow or diverge; above a half."""
    share = share_interval(failed(results, "random").ravel())
    return outside(judge(share, lower=0.5, detail="share of random configurations"), LIMITS)


@claim(
    artifact="table2",
    place="abstract, Section 4.2 and Table 2",
    sentence="The best single model that DNGO found outperforms recent recurrent networks with attention.",
    published="25.1 against 24.3 to 25.0",
    headline="Tuned caption model beats recurrent networks",
)
def tuned_model_beats_recurrent_networks(results: Results) -> Check:
    """Test BLEU of the single model above those of the recurrent networks, which we do not have."""
    counts_of(results, "single")  # not run
    return absent("recurrent networks")


@claim(
    artifact="table2",
    place="Section 4.2 and Table 2",
    sentence="An ensemble of the three best models outperforms the single best model significantly.",
    published="26.7 against 25.1",
    headline="Three models together caption better than one",
)
def ensemble_beats_the_single_model(results: Results) -> Check:
    """Test BLEU of the three best models together minus that of the best one, images resampled; above 0."""
    return _gain(results, "ensemble_3", "single")


@claim(
    artifact="table2",
    place="Table 2",
    sentence="The second and the third model each improve the ensemble further.",
    published="25.1, 25.9, 26.7",
)
def each_model_improves_the_ensemble(results: Results) -> Check:
    """Test BLEU with the second model minus that without, and the same of the third; both above 0."""
    steps = (("ensemble_2", "single"), ("ensemble_3", "ensemble_2"))
    return all_of(worded(_gain(results, *step), f"{step[0]} minus {step[1]}", ".2f") for step in steps)


@claim(
    artifact="table2",
    place="Section 4.2 and Table 2, caption",
    sentence="There are distinct local optima: the best models lie far apart in the space of hyperparameters.",
    published="distinct",
)
def best_models_lie_far_apart(results: Results) -> Check:
    """Mean distance between a search's three best models in the unit cube, over that between random ones; above 0.5."""
    from core.objectives.network_spaces import caption_space  # imports ConfigSpace, which drawing does not need
    from core.spaces import CubeEncoding

    encoding = CubeEncoding(caption_space())
    best = [_spread(encoding, rows.nlargest(3, "bleu")) for _, rows in _successes(results)]
    others = [_spread(encoding, rows) for _, rows in searched(results, "random").groupby("run")]
    ratio = np.array(best) / np.mean(others)
    return judge(bootstrap_interval(ratio, mean, SEED), lower=0.5, detail="distance over that of random models")


@claim(
    artifact="table7",
    place="Table 7",
    sentence="The best model is an additive one.",
    published="additive",
)
def best_model_is_additive(results: Results) -> Check:
    """Highest validation BLEU of additive models minus that of multiplicative ones, in each search; above 0."""
    lead = []
    for _, rows in _successes(results):
        best = rows.groupby("model")["bleu"].max()
        lead.append(best.get("additive", 0.0) - best.get("multiplicative", 0.0))
    return judge(bootstrap_interval(np.array(lead), mean, SEED), lower=0.0, detail="BLEU, percent")


@claim(
    artifact="fig3",
    place="Fig 3",
    kind="shape",
    sentence="Captions by the best model describe sensibly what their images show.",
    published="2 of 3",
)
def captions_are_of_their_images(results: Results) -> Check:
    """BLEU of the best model's captions with their own images' references minus that with other images'; above 0."""
    pair = counts_of(results, "single"), counts_of(results, "single", "other_")
    interval = bootstrap_interval(pair, _difference, SEED, n=2000, paired=True)
    return judge(interval, lower=0.0, detail="BLEU, percent")


@claim(
    artifact="fig3",
    place="Fig 3",
    kind="shape",
    sentence="Some captions by the best model are inaccurate.",
    published="1 of 3",
)
def some_captions_are_inaccurate(results: Results) -> Check:
    """The share of captions that have more words of another image's references than of their own; above 0.1."""
    own, other = (counts_of(results, "single", prefix)[..., 0] for prefix in ("", "other_"))
    return judge(share_interval((other > own).ravel()), lower=SOME, detail="share of captions")


def _gain(results: Results, better: str, worse: str) -> Check:
    pair = counts_of(results, better), counts_of(results, worse)
    runs = min(each.shape[1] for each in pair)
    pair = tuple(each[:, :runs] for each in pair)
    interval = bootstrap_interval(pair, _difference, SEED, n=2000, paired=True)
    return judge(
        interval, lower=0.0, detail=f"BLEU, percent, of {len(pair[0])} images by the models of {runs} searches"
    )


def _difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return mean_bleu(first) - mean_bleu(second)


def _successes(results: Results):
    rows = searched(results, "dngo")
    rows = rows[rows["status"] == "ok"]
    if rows.empty:
        raise NotRunError("captions")
    return rows.groupby("run")


def _spread(encoding: CubeEncoding, rows) -> float:
    """Mean distance between pairs of configurations in the unit cube."""
    names = [name for name in encoding.space if name != "factors"]
    given = [
        {name: row[name] for name in names} | ({"factors": int(row["factors"])} if row["factors"] else {})
        for row in rows.to_dict("records")
    ]
    points = encoding.encode(given)
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return float(distances[np.triu_indices(len(points), 1)].mean())
