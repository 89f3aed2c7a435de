"""The field benchmark: its split, its problems, the scores, and that runs are kept."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import ConfigurationSpace

from benchmarks.field import page, runs, scores
from benchmarks.field.__main__ import METHODS, PAGE, ranked
from benchmarks.field.methods import search
from benchmarks.field.problem import Problem
from benchmarks.field.problems import REAL, problem
from benchmarks.field.split import KINDS, PARTS, part_of, problems, split
from core.foundation.errors import UserError
from core.spaces import CubeEncoding


def test_no_problem_is_both_developed_on_and_reported():
    real = [name for part in PARTS for name in problems(part, "real")]
    assert sorted(real) == sorted(REAL) and len(real) == len(set(real)) == 16
    functions = split()["bbob"]
    assert sorted(functions["development"] + functions["reported"]) == list(range(1, 25))
    for part in PARTS:
        assert set(functions["run"][part]) <= set(functions[part])
        assert {part_of(name) for kind in ("real", "bbob") for name in problems(part, kind)} == {part}


@pytest.mark.parametrize("name", ["svr_diabetes", "svm_breast_cancer", "descent_diabetes", "network_digits"])
def test_problems_on_bundled_data_have_losses(name):
    given = problem(name, 0)
    encoding = CubeEncoding(given.space)
    configurations = encoding.decode(encoding.sample(6, np.random.default_rng(0)))
    found = [given.evaluate(one, np.random.default_rng(1)) for one in configurations]
    again = [given.evaluate(one, np.random.default_rng(1)) for one in configurations]
    assert found[1:] == again[1:] or any(one.failed for one in found)
    assert len({one.judged for one in found}) > 1 and not all(one.failed for one in found)


def test_what_diverges_has_failed():
    wild = {"loss": "squared_error", "penalty": "l2", "alpha": 1e-7, "learning_rate": "constant", "eta0": 10.0}
    assert problem("descent_diabetes", 0).evaluate({**wild, "max_iter": 40}, np.random.default_rng(0)).failed


def line(noise: float = 0.0) -> Problem:
    space = ConfigurationSpace({"x": (0.0, 1.0)})

    def loss(configuration, generator):
        if configuration["x"] > 0.9:
            raise ValueError("too far")
        return configuration["x"] + noise * generator.normal(), configuration["x"]

    return Problem("line", space, loss)


def test_a_noisy_run_is_judged_without_noise():
    """The configuration that looked best is not the best one."""
    assert runs.incumbent(np.array([3.0, np.nan, 1.0, 2.0]), np.array([0.1, 0.0, 0.7, 0.2])) == 0.7
    assert np.isnan(runs.incumbent(np.array([np.nan]), np.array([np.nan])))
    row = runs.run(line(noise=100.0), "random", 0, 50)
    assert 0 <= row["best_50"] <= 0.9 and row["best_10"] > 0.02 and np.isnan(row["best_100"])


def test_what_is_there_is_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "OWN", tmp_path)
    monkeypatch.setattr(runs, "problem", lambda name, seed: line())
    assert len(list(runs.run_all(["line"], ["random", "tpe"], [0, 1], 12))) == 4
    assert list(runs.run_all(["line"], ["random", "tpe"], [0, 1], 12)) == []
    assert len(list(runs.run_all(["line"], ["random"], [0], 20))) == 1  # more evaluations than it had
    assert json.loads(runs.path_of("line", "random", 0).read_text())["evaluations"] == 20
    assert list(runs.collected()["method"]) == ["random", "random", "tpe", "tpe"]


@pytest.mark.parametrize("text", ["", '{"evaluations": 1', "[]", '{"evaluations": 100}'])
def test_a_damaged_file_is_named_and_made_again(tmp_path, monkeypatch, text):
    monkeypatch.setattr(runs, "OWN", tmp_path)
    monkeypatch.setattr(runs, "problem", lambda name, seed: line())
    path = runs.path_of("line", "random", 0)
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UserError, match=r"random-0\.json: no run of a search"):
        runs.collected()
    assert len(list(runs.run_all(["line"], ["random"], [0], 12))) == 1
    assert len(runs.collected()) == 1


def frame() -> pd.DataFrame:
    """Two problems, two seeds; `a` is best on one, `b` on the other."""
    losses = {"svr_diabetes": {"a": 1.0, "b": 2.0, "random": 3.0}, "tree_wine_red": {"a": 6.0, "b": 4.0, "random": 8.0}}
    rows = [
        {"problem": name, "method": method, "seed": seed, "seconds": 0.1, "median": 2 * loss, "best_10": loss}
        for name, of_method in losses.items()
        for method, loss in of_method.items()
        for seed in (0, 1)
    ]
    return pd.DataFrame(rows)


def test_regrets_are_in_units_of_the_median_random_loss():
    _, values = scores.matrix(frame(), ["a", "b", "random"], 10)
    np.testing.assert_allclose(values[0, 0], [scores.SMALLEST, 1 / 5, 2 / 5])
    np.testing.assert_allclose(values[1, 1], [2 / 12, scores.SMALLEST, 4 / 12])


def test_ranks_are_averaged_over_ties():
    np.testing.assert_array_equal(
        scores.ranks(np.array([[1.0, 1.0, 0.0], [3.0, 2.0, 1.0]])), [[2.5, 2.5, 1], [3, 2, 1]]
    )


def test_the_summary_ranks_methods():
    summary = scores.summary(frame(), ["random", "b", "a"], 10)
    assert summary.loc["random", "rank"] == 3 and summary.loc["a", "rank"] == summary.loc["b", "rank"] == 1.5
    assert summary.loc["a", "rank_low"] == 1 and summary.loc["a", "rank_high"] == 2


def test_cells_that_a_method_lacks_count_for_none():
    found = frame()
    found = found[~((found["problem"] == "svr_diabetes") & (found["method"] == "b"))]
    names, values = scores.matrix(found, ["a", "b"], 10)
    assert names == ["tree_wine_red"] and values.shape == (1, 2, 2)
    with pytest.raises(ValueError, match="no problem and seed"):
        scores.matrix(found, ["a", "c"], 10)


def test_methods_may_carry_settings():
    searching = search("tpe:initial_design=3,share=0.5", line().space, 0, 10)
    assert searching.optimizer.settings.initial_design == 3 and searching.optimizer.settings.share == 0.5
    with pytest.raises(ValueError, match="no method 'nothing'"):
        search("nothing", line().space, 0, 10)


def test_a_method_that_ran_on_few_problems_does_not_hide_the_others():
    found = frame()
    few = found[(found["problem"] == "svr_diabetes") & (found["method"] == "a")].assign(method="few")
    third = found[found["problem"] == "svr_diabetes"].assign(problem="pipeline_sonar")
    assert scores.compared(pd.concat([found, third, few]), ["a", "b", "few", "none"], 10) == ["a", "b"]


def test_the_shipped_runs_are_summarized():
    """Every problem belongs to a part, and each part has random search, the unit of regrets."""
    found = runs.shipped()
    assert set(found.columns) == set(runs.COLUMNS) and not found.duplicated(["problem", "method", "seed"]).any()
    for name, rows in found.groupby("problem"):
        assert part_of(str(name)) in PARTS and "random" in set(rows["method"])
    reported = found[found["problem"].map(part_of) == "reported"]
    for kind in ("real", "bbob"):
        part = reported[reported["problem"].isin(problems("reported", kind))]
        summary = scores.summary(part, scores.compared(part, ["gp", "tpe", "random", "optuna_tpe"], 50), 50)
        assert {"gp", "tpe"} <= set(summary.index)
        assert (summary["rank_low"] <= summary["rank"]).all() and (summary["rank"] <= summary["rank_high"]).all()


def test_the_page_has_the_shipped_runs_table():
    """As `python -m benchmarks.field --figure` writes it."""
    shipped = runs.shipped()
    for seeds in (scores.SEEDS, 1):
        assert page.table(ranked(shipped, "reported", METHODS, KINDS, 50, seeds), 50) in PAGE.read_text()


def test_methods_with_few_seeds_are_ranked_apart():
    both = pd.concat([frame(), frame().assign(seed=lambda rows: rows["seed"] + 2)])
    once = both[(both["method"] == "a") & (both["seed"] == 0)].assign(method="hebo")
    both, names = pd.concat([both, once]), ["a", "hebo", "random"]
    assert scores.compared(both, names, 10) == ["a", "random"]
    assert scores.compared(both[both["seed"] == 0], names, 10) == names
    most, everyone = (scores.summary(both, scores.compared(both, names, 10, n), 10) for n in (scores.SEEDS, 1))
    assert list(most["seeds"]) == [4, 4] and list(everyone["seeds"]) == [1, 1, 1]
    assert page.tables({10: {"real": most}}, {"real": most}).count("After 10") == 1
    text = page.tables({10: {"real": most}}, {"real": everyone})
    assert text.count("After 10") == 2 and text.index("seeds: 1") > text.index("seeds: 4")
    assert text.count("HEBO") == 1


def test_the_table_is_in_the_order_of_ranks_and_names_what_was_not_run():
    real = scores.summary(frame().replace({"a": "gp", "b": "smac"}), ["gp", "smac", "random"], 10)
    table = page.table({"real": real, "bbob": real.drop("smac")}, 10).splitlines()
    assert table[0] == "After 10 evaluations on 2 tuning problems (seeds: 2) and 2 BBOB functions (seeds: 2):"
    assert {line.split(" | ")[0].strip("| ") for line in table[4:6]} == {"`gp`", "SMAC"}
    assert table[6].startswith("| random search | 3.00 [3.00, 3.00]")
    assert [line for line in table if "not run" in line] == [line for line in table if "SMAC" in line]
