"""Checks of the optimization claims on made-up regrets for which the answer is known."""

import numpy as np
import pandas as pd
import pytest

from core.report.runs.frames import NotRunError
from papers.bohamiann import figures
from papers.bohamiann.checks.searches import FIGURE_A1, HPOLIB, THESIS
from tests.papers import runs
from tests.papers.functions import Functions

claims = Functions("bohamiann", "claims")
OPTIMIZERS = ("gp", "rf", "dngo_50_pybnn", "dngo_10_pybnn", "bohamiann_50", "bohamiann_10")
RUNS, EVALUATIONS = 20, 5


class Fake(runs.Fake):
    """Results of an artifact that draws from all searches on the thesis' functions."""

    experiments = THESIS


def regrets(final: dict[str, float], benchmarks: list[str], sd: float = 0.1) -> pd.DataFrame:
    """Log-normal regrets that fall to 10^final, method by method, with independent noise."""
    rng = np.random.default_rng(0)
    rows = []
    for benchmark in benchmarks:
        for method, exponent in final.items():
            last = 10 ** (exponent + sd * rng.normal(size=RUNS))
            path = last[:, None] * np.linspace(3, 1, EVALUATIONS)
            for run in range(RUNS):
                for n in range(EVALUATIONS):
                    rows.append((benchmark, method, run, n + 1, path[run, n], path[run, n], "ok"))
    return pd.DataFrame(rows, columns=["benchmark", "method", "run", "evaluation", "regret", "loss", "status"])


def test_the_gp_is_best_where_it_is():
    others = dict.fromkeys(["rf", "tpe", "dngo_50", "dngo_10", "bohamiann_50", "bohamiann_10", "random"], -1.0)
    check = claims.gp_is_best_on_branin(Fake(branin_full=regrets({"gp": -3, **others}, ["branin"])))
    assert (check.holds, check.ours) == ("holds", "7 of 7")
    check = claims.gp_is_best_on_branin(Fake(branin_full=regrets({"gp": -1, **others, "tpe": -2}, ["branin"])))
    assert check.holds == "fails"


@pytest.mark.parametrize(
    "bohamiann, dngo, outcome",
    [((-2, -2), (-2, -1), "holds"), ((-2, -1), (-2, -2), "fails"), ((-2, -1), (-1, -2), "inconclusive")],
)
def test_the_effect_of_the_width(bohamiann, dngo, outcome):
    def final(*competitors: str) -> dict[str, float]:
        return dict(zip(("bohamiann_50", "bohamiann_10", *competitors), (*bohamiann, *dngo), strict=True))

    thesis = Fake(synthetic=regrets(final("dngo_50_pybnn", "dngo_10_pybnn"), FIGURE_A1))
    assert claims.less_sensitive_to_width(thesis).holds == outcome
    branin = Fake(branin_full=regrets(final("dngo_50", "dngo_10"), ["branin"]))
    assert claims.less_sensitive_to_width_on_branin(branin).holds == outcome


def test_wins_ties_and_losses_are_counted():
    frame = pd.concat(
        [
            regrets({"gp": -2, "bohamiann_50": -1}, FIGURE_A1[:6]),
            regrets({"gp": -2, "bohamiann_50": -3}, FIGURE_A1[6:8]),
        ]
    )
    same = regrets({"gp": -2}, FIGURE_A1[8:])
    frame = pd.concat([frame, same, same.assign(method="bohamiann_50")])
    check = claims.bohamiann_ties_or_wins_on_half(Fake(synthetic=frame))
    assert check.holds == "holds" and check.ours == pytest.approx(0.6)
    assert "2 ties, 2 wins, 6 losses" in check.detail


@pytest.mark.parametrize(("level", "outcome"), [(-1, "fails"), (-3, "holds")])
def test_all_losses_refute_ties_or_wins_on_half(level, outcome):
    frame = regrets({"gp": -2, "bohamiann_50": level}, FIGURE_A1)
    assert claims.bohamiann_ties_or_wins_on_half(Fake(synthetic=frame)).holds == outcome


@pytest.mark.parametrize(("forest", "outcome"), [(-1, "holds"), (-3, "fails")])
def test_the_gp_is_best_on_average_if_it_is_below_every_other_method(forest, outcome):
    names = ["dngo_50_pybnn", "dngo_10_pybnn", "bohamiann_50", "bohamiann_10", "random"]
    frame = regrets({"gp": -2, **dict.fromkeys(names, -1), "rf": forest}, FIGURE_A1)
    assert claims.gp_is_best_on_low_dimensional(Fake(synthetic=frame)).holds == outcome


def test_an_optimizer_no_better_than_random_search_is_not_acceptable():
    level = {"random": 0.0, "gp": -1.0, "tpe": -0.5}
    assert claims.all_optimizers_are_acceptable(hpolib(regrets(level, PROBLEMS, 0.02))).holds == "holds"
    assert claims.all_optimizers_are_acceptable(hpolib(regrets({**level, "tpe": 1.0}, PROBLEMS, 0.02))).holds == "fails"
    some = regrets(level, PROBLEMS, 0.02)
    some = some[(some["method"] != "tpe") | (some["benchmark"] == "branin")]
    check = claims.all_optimizers_are_acceptable(hpolib(some))
    assert (check.holds, check.part) == ("outside", "holds")  # no experiment has TPE on the others


def test_an_optimizer_no_better_than_random_search_on_one_function_is_not_acceptable():
    level = {**dict.fromkeys(OPTIMIZERS, -2), "random": -1}
    frame = regrets(level, FIGURE_A1)
    check = claims.all_optimizers_are_acceptable_on_functions(Fake(synthetic=frame))
    assert (check.holds, check.ours) == ("holds", "60 of 60")
    worse = regrets({**level, "rf": 0}, ["sin_two"])
    frame = pd.concat([frame[frame["benchmark"] != "sin_two"], worse])
    assert claims.all_optimizers_are_acceptable_on_functions(Fake(synthetic=frame)).holds == "fails"


def test_above_dngo_everywhere_fails_for_one_function():
    level = {"dngo_50_pybnn": -1, "dngo_10_pybnn": -1, "bohamiann_50": -2, "bohamiann_10": -2}
    frame = regrets(level, FIGURE_A1)
    check = claims.above_dngo_everywhere(Fake(synthetic=frame))
    assert (check.holds, check.ours) == ("holds", "20 of 20")
    other = regrets({**level, "bohamiann_10": 0}, ["levy"])
    frame = pd.concat([frame[frame["benchmark"] != "levy"], other])
    assert claims.above_dngo_everywhere(Fake(synthetic=frame)).holds == "fails"


PROBLEMS = list(HPOLIB)


def hpolib(frame: pd.DataFrame) -> Fake:
    """Each experiment has the runs of its problems, and others that must not count."""
    networks, runs = frame["method"].str.startswith("bohamiann"), {}
    for name in {name for names in HPOLIB.values() for name in names}:
        counts = frame["benchmark"].map(lambda problem, name=name: name in HPOLIB[problem])
        if name == "synthetic":  # the thesis' network, which is not the NIPS paper's
            counts &= ~networks
        runs[name] = frame.assign(**{key: frame[key].where(counts, 1e3) for key in ("regret", "loss")})
    runs["hartmann6_nips"] = frame[networks]
    return Fake(**runs)


@pytest.mark.parametrize("worse, outcome", [(0, "holds"), (1, "holds"), (2, "fails")])
def test_matching_the_gp_on_four_of_five(worse, outcome):
    level = {"random": 0.0, "gp": -2.0}
    frames = [
        regrets({**level, "bohamiann_50": -0.5 if i < worse else -2.0}, [name], 0.02) for i, name in enumerate(PROBLEMS)
    ]
    check = claims.matches_gp_on_four_of_five(hpolib(pd.concat(frames)))
    assert (check.holds, check.ours) == (outcome, f"{5 - worse} of 5") and np.isfinite(check.clear)


def test_noise_that_hides_a_difference_is_open():
    frame = regrets({"random": 0.0, "gp": -0.3, "bohamiann_50": -0.3}, PROBLEMS, sd=0.5)
    assert claims.matches_gp_on_four_of_five(hpolib(frame)).holds == "inconclusive"


def fit(mean_error: float, sd_far: float) -> Fake:
    x = np.linspace(0, 1, 101)
    value = np.sin(6 * x)
    rows = []
    for run in range(10):
        seen = np.array([0.1, 0.2, x[value.argmin()]])
        distance = np.abs(x[:, None] - seen).min(1)
        sd = 0.01 + sd_far * distance
        rows.append(
            pd.DataFrame({"run": run, "part": "grid", "x": x, "value": value, "mean": value + mean_error, "sd": sd})
        )
        data = {"x": seen, "value": np.sin(6 * seen), "mean": np.sin(6 * seen), "sd": 0.0}
        rows.append(pd.DataFrame({"run": run, "part": "data", **data}))
    return Fake(sin_one_fit=pd.concat(rows).assign(method="bohamiann_50"))


def test_uncertainty_is_faithful_where_the_band_holds_the_function():
    assert claims.uncertainty_is_faithful(fit(0.015, 1.0)).holds == "holds"
    assert claims.uncertainty_is_faithful(fit(3.0, 1.0)).holds == "fails"


@pytest.mark.parametrize(
    "draw", [figures.fig1_left, figures.fig1_right, figures.fig3_3, figures.figA_1, figures.hpolib]
)
def test_without_runs_figures_are_not_run(draw):
    with pytest.raises(NotRunError):
        draw(Fake(), None)


def test_figures_draw_what_was_run_and_say_what_was_not():
    final = {"gp": -2.0, "random": -1.0, "bohamiann_50": -1.5}
    frame = regrets(final, ["branin", "hartmann6"])
    results = Fake(synthetic=frame, branin_full=frame, hpolib=regrets(final, ["svm_on_grid"]))
    assert set(figures.fig1_left(results, None).data["method"]) == {"gp", "random", "bohamiann_50"}
    three = figures.fig3_3(results, None)
    assert set(three.data["benchmark"]) == {"branin", "hartmann6"}
    texts = [text.get_text() for axes in three.figure.axes for text in axes.texts]
    assert texts == ["not run"]
    assert set(figures.hpolib(results, None).data["benchmark"]) == {"branin", "hartmann6", "svm_on_grid"}
    assert f"over {RUNS} runs" in figures.figA_1(results, None).caption
