"""Average ranks, runtimes to targets, and tests between methods, against what their definitions say.

The probability that a run of one method is below a run of another.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, wilcoxon

from core.foundation.errors import UserError
from core.report import style
from core.report.figures.charts import draw_losses, draw_p_values, draw_ranks, draw_solved
from core.report.statistics.comparisons import (
    average_ranks,
    differences,
    final_samples,
    first_hits,
    holm,
    holm_adjusted,
    p_values,
    paired_tests,
    probabilities,
    ranks_of_runs,
    signed_rank,
    task_runs,
    time_of_lead,
    wins,
)
from core.study.curves import reached_so_far, solved_share

FEW_VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0])


@given(arrays(float, (2, 3, 3, 2), elements=FEW_VALUES))
def test_average_ranks_are_those_of_all_combinations_of_runs(values):
    methods = dict(zip("abc", np.moveaxis(values, 1, 0), strict=True))  # (tasks, runs, n) each
    found = average_ranks(methods)
    for task, after in np.ndindex(2, 2):
        drawn = [
            rankdata([values[task, method, run, after] for method, run in enumerate(runs)])
            for runs in itertools.product(range(3), repeat=3)
        ]
        np.testing.assert_allclose([found[name][task, after] for name in "abc"], np.mean(drawn, axis=0))


def test_a_method_without_a_value_ranks_last():
    found = average_ranks({"a": np.full((1, 2, 1), np.nan), "b": np.zeros((1, 2, 1))})
    assert found["a"].item() == pytest.approx(2) and found["b"].item() == pytest.approx(1)


def test_ranks_need_the_same_number_of_runs():
    with pytest.raises(ValueError, match=r"methods of \[2, 3\] runs"):
        average_ranks({"a": np.zeros((1, 2, 1)), "b": np.zeros((1, 3, 1))})


def runtimes(incumbents, targets):
    """Evaluations until each target (k,) is reached by incumbents (..., n), infinite where it is not: (..., k)."""
    reached = incumbents[..., None, :] <= targets[:, None]
    return np.where(reached.any(-1), reached.argmax(-1) + 1.0, np.inf)


@given(arrays(float, (4, 6), elements=FEW_VALUES), arrays(float, 5, elements=FEW_VALUES))
def test_the_share_solved_is_the_distribution_of_the_runtimes(losses, targets):
    """Of incumbents that get worse, too, as those chosen by noisy values do: a runtime ends with the first hit."""
    times = runtimes(losses, targets)
    expected = (times[..., None] <= np.arange(1, 7)).mean(1)
    np.testing.assert_allclose(reached_so_far(solved_share(losses, targets)), expected)


def test_what_was_reached_stays_reached():
    found = first_hits({"gp": np.array([[[0.2, 0.7, 0.5, 0.6]]])})
    assert found["gp"].tolist() == [[[0.2, 0.7, 0.7, 0.7]]]


def test_what_is_not_a_number_solves_nothing_and_targets_must_be_numbers():
    assert solved_share(np.array([np.nan, np.inf, 0.5]), np.array([1.0, 0.0])).tolist() == [0.0, 0.0, 0.5]
    for targets in ([], [np.nan]):
        with pytest.raises(UserError, match="targets"):
            solved_share(np.zeros(1), np.array(targets))


def steps(method: str, losses: dict[tuple[int, int], list[tuple[int, float]]]) -> pd.DataFrame:
    rows = [(task, run, n, loss) for (task, run), parts in losses.items() for n, loss in parts]
    frame = pd.DataFrame(rows, columns=["task", "run", "evaluation", "loss"])
    return frame.assign(benchmark="svm", method=method)


def test_runs_are_filled_forward_and_common_ones_are_compared():
    first = steps("a", {(0, 0): [(1, 3.0), (3, 1.0)], (1, 0): [(1, 2.0)], (2, 0): [(1, 9.0)]})
    second = steps("b", {(0, 0): [(1, 4.0), (2, 2.0)], (1, 0): [(1, 5.0), (4, 4.0)]})
    found = task_runs(pd.concat([first, second]), "svm", ["a", "b"], "loss", 4)
    assert found["a"].tolist() == [[[3, 3, 1, 1]], [[2, 2, 2, 2]]]
    assert found["b"].tolist() == [[[4, 2, 2, 2]], [[5, 5, 5, 4]]]


def test_runs_without_common_tasks_are_refused():
    frame = pd.concat([steps("a", {(0, 0): [(1, 3.0)]}), steps("b", {(1, 0): [(1, 3.0)]})])
    with pytest.raises(UserError, match="a, b have no full set"):
        task_runs(frame, "svm", ["a", "b"], "loss", 2)


def test_p_values_are_small_where_the_column_is_better():
    rng = np.random.default_rng(0)
    samples = {"good": rng.normal(0, 1, 200), "bad": rng.normal(1, 1, 200)}
    found = p_values(samples)
    assert found.loc["bad", "good"] < 1e-6 and found.loc["good", "bad"] > 0.99
    assert np.isnan(np.diag(found)).all()


def test_p_values_of_small_samples_are_exact():
    """All of 3 values below all of 3 others: one of the 20 orders, so p = 1/20."""
    found = p_values({"a": np.array([1.0, 2, 3]), "b": np.array([4.0, 5, 6])})
    assert found.loc["b", "a"] == pytest.approx(1 / 20)


def test_holm_rejects_step_by_step():
    p = pd.DataFrame([[np.nan, 0.01, 0.04], [0.03, np.nan, 0.005], [0.9, 0.5, np.nan]], list("abc"), list("abc"))
    # sorted: .005 <= .05/6, .01 <= .05/5, .03 > .05/4: two reject and nothing after the first that does not
    assert holm(p).to_numpy().sum() == 2 and holm(p).loc["a", "b"] and holm(p).loc["b", "c"]


@pytest.mark.parametrize("n", [1, 2, 7, 24, 60, 200])
def test_signed_ranks_are_exact(n):
    difference = np.random.default_rng(n).normal(0.2, 1, n)
    assert signed_rank(difference) == pytest.approx(wilcoxon(difference, method="exact").pvalue, rel=1e-9)


def test_signed_ranks_of_many_are_those_of_scipy():
    difference = np.random.default_rng(0).normal(0.1, 1, 300)
    assert signed_rank(difference) == pytest.approx(wilcoxon(difference, method="asymptotic").pvalue)


def test_signed_ranks_with_ties_count_all_signs():
    difference = np.array([2.0, 2, 5, -2, 1, 0, -3, 2, 0])
    ranks, signs = rankdata(np.abs(difference[difference != 0])), itertools.product((0, 1), repeat=7)
    sums, found = np.array([ranks @ each for each in signs]), ranks @ (difference[difference != 0] > 0)
    expected = 2 * min((sums <= found).mean(), (sums >= found).mean())
    assert signed_rank(difference) == pytest.approx(expected) and signed_rank(np.zeros(3)) == 1


def test_adjusted_p_values_are_below_a_level_where_holm_rejects():
    p = np.array([0.01, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(holm_adjusted(p), [0.03, 0.06, 0.06, 0.02])
    rejected = holm(pd.DataFrame([p])).to_numpy()[0]
    assert (rejected == (holm_adjusted(p) <= 0.05)).all()


def test_one_task_of_large_losses_decides_nothing():
    """Ours is better by a tenth on 24 tasks and worse by a million on one: the mean loss is worse, the test sees 24."""
    theirs = np.linspace(1, 2, 25)[:, None, None] * np.ones((25, 3, 2))
    ours = 0.9 * theirs
    ours[0] = theirs[0] + 1e6
    for optima in ((0.0,) * 25, (None,) * 25):
        (row,) = paired_tests("ours", {"ours": ours, "theirs": theirs}, optima).to_dict("records")
        assert (row["wins"], row["ties"], row["losses"]) == (24, 0, 1) and row["p"] < 1e-4
    assert ours.mean() > theirs.mean()
    (row,) = paired_tests("ours", {"ours": ours[1:], "theirs": theirs[1:]}, (0.0,) * 24).to_dict("records")
    assert row["p"] == pytest.approx(2.0**-23)  # all of 24 signs agree


def test_differences_have_no_unit():
    ours, theirs = np.array([[1.0, 10.0], [3.0, 3.0]]), np.array([[10.0, 10.0], [3.0, 30.0]])
    np.testing.assert_allclose(differences(ours, theirs, (0.0, 0.0)), [-0.5, -0.5])  # half a power of ten
    # without an optimum, shares of pairs of runs: (1 < 10) twice and (10 = 10) twice; (3 < 30) twice and (3 = 3) twice
    np.testing.assert_allclose(differences(ours, theirs, (0.0, None)), [-0.5, -0.5])
    np.testing.assert_allclose(differences(1e9 * ours, 1e9 * theirs, (None, 0.0)), [-0.5, -0.5])
    np.testing.assert_allclose(differences(ours[:1], theirs[:1], (None,)), [-9.0, 0.0])  # of one task, in its unit
    np.testing.assert_allclose(differences(ours[:1] - 1, theirs[:1], (0.0,)), [-9.0, np.log10(0.9)], atol=1e-9)


def test_ranks_of_runs_average_to_the_average_rank():
    rng = np.random.default_rng(0)
    losses = {name: rng.random((3, 4, 2)) for name in "abc"}
    for name, ranks in average_ranks(losses).items():
        np.testing.assert_allclose(ranks_of_runs(losses)[name].mean(1), ranks)


def test_final_samples_are_over_runs():
    values = np.arange(12.0).reshape(2, 2, 3)
    assert final_samples({"a": values})["a"].tolist() == [3.5, 9.5]
    assert final_samples({"a": values}, evaluation=1)["a"].tolist() == [1.5, 7.5]


def test_panels_show_every_method_and_test():
    rng = np.random.default_rng(0)
    losses = {name: np.minimum.accumulate(rng.random((4, 3, 5)), -1) for name in ("random", "gp", "tpe")}
    with style.context():
        _, (left, right, last) = style.subplots(1, 3)
        solved = draw_solved(left, {name: 1 - values for name, values in losses.items()})
        ranks = draw_ranks(right, losses)
        draw_p_values(last, p_values(final_samples(losses)))
    assert len(left.lines) == len(right.lines) == 3 and len(last.texts) == 6
    np.testing.assert_allclose(ranks.groupby("evaluation")["rank"].mean(), 2)
    assert solved.groupby("method")["solved"].apply(lambda curve: curve.is_monotonic_increasing).all()


@pytest.mark.parametrize(("optimum", "expected"), [(None, [4.0, 2.0, 1.5]), (1.0, [3.0, 1.0, 0.5])])
def test_curves_of_one_task_are_medians_of_losses_or_regrets(optimum, expected):
    values = np.array([[[np.inf, 2, 1], [3, 2, 2]]])
    with style.context():
        _, axes = style.subplots()
        draw_losses(axes, {"gp": values, "random": np.array([[[5.0, 3, 2], [3, 1, 1]]])}, optimum)
    first, second = (line.get_ydata() for line in axes.lines)
    assert np.isnan(first[0]) and axes.get_yscale() == ("linear" if optimum is None else "log")
    np.testing.assert_allclose(second, expected)
    np.testing.assert_allclose(first[1:], expected[1:])


def test_pairs_of_runs_count_ties_half():
    ours, theirs = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), np.array([[2.0, np.inf], [2.0, 0.0]])
    matrix = wins(ours, theirs)
    assert matrix.shape == (2, 3, 2)
    whole = probabilities(matrix, np.arange(3)[None], np.arange(2)[None])
    np.testing.assert_allclose(whole, [[(2 + 1 + 0) / 6, (3 + 1.5) / 6]])
    drawn = probabilities(matrix, np.array([[0, 0, 2]]), np.array([[1, 1]]))
    np.testing.assert_allclose(drawn, [[4 / 6, 1 / 2]])


def test_a_lead_begins_where_it_stays():
    """Ahead once, then from the 31st time on; never; always."""
    times = np.geomspace(0.01, 1.0, 41)
    found = np.full((3, len(times)), 0.5)
    found[0, [10, *range(30, len(times))]] = 0.7
    found[2] = 0.9
    np.testing.assert_allclose(time_of_lead(found, times, 0.6), [times[30], np.inf, times[0]])
