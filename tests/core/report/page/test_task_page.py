"""The page about a method beside others."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

from core.report.page.task_page import against_others, final_numbers, write_task_page
from core.report.statistics.comparisons import Comparison


def comparison(tasks: int = 5, optimum: float | None = 0.0, others: tuple[str, ...] = ("gp", "random")) -> Comparison:
    """Mine is worse than all others on every task and seed, by a unit that grows a thousandfold from task to task."""
    rng = np.random.default_rng(0)
    units = 1000.0 ** np.arange(tasks)[:, None, None]
    losses = {
        name: (np.minimum.accumulate(rng.random((tasks, 6, 4)), -1) + shift) * units
        for shift, name in enumerate((*others, "Mine<1>"))
    }
    solved = {name: 1 / (1 + values / units) for name, values in losses.items()}
    names = tuple(f"task <{place}>" for place in range(tasks))
    return Comparison("Mine<1>", names, losses, solved, (optimum,) * tasks, "those <of the test>")


def test_the_page_holds_all_that_it_shows(tmp_path):
    path = write_task_page(tmp_path / "mine.html", "Mine<1> <beside> ours", comparison(), tmp_path / "mine.parquet")
    text = path.read_text()
    assert "Mine&lt;1&gt; &lt;beside&gt; ours" in text and "GP-BO" in text and "mine.parquet" in text
    assert not re.search(r"<(beside|1|of|\d)", text)
    assert "5 tasks, 6 runs of 4 evaluations" in text and "the targets of a task are those &lt;of the test&gt;" in text
    assert text.count("data:image/png;base64,") == 1 + 5  # of all tasks, and of each
    assert [f"<h3>task &lt;{place}&gt;</h3>" in text for place in range(5)] == [True] * 5
    numbers = pd.read_csv(tmp_path / "mine.csv", index_col=0)
    assert numbers.index[0] == "GP-BO" and numbers.loc["GP-BO", "average rank"] == 1


@pytest.mark.parametrize("optimum", [0.0, None])
def test_against_others_several_tasks_are_paired_by_task(optimum):
    """All five tasks are lost: 2 of 32 sets of signs are as extreme, and Holm doubles that for two competitors."""
    tests = against_others(comparison(5, optimum))
    assert tests[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 0, 5], [0, 0, 5]]
    np.testing.assert_allclose(tests["p"], 2 / 32)
    np.testing.assert_allclose(tests["p (Holm)"], 4 / 32)
    page = final_numbers(comparison(5, optimum))
    assert "mean loss" not in page  # the units of the tasks differ
    assert (page["rank from"] <= page["average rank"]).all() and (page["average rank"] <= page["rank to"]).all()


@pytest.mark.parametrize(("optimum", "measure"), [(0.0, "log regrets"), (None, "losses, as the optimum is not known")])
def test_against_others_one_task_are_paired_by_seed(tmp_path, optimum, measure):
    one = comparison(1, optimum, ("random",))
    np.testing.assert_allclose(against_others(one)["p"], 2 / 64)
    text = html.unescape(write_task_page(tmp_path / "one.html", "one", one).read_text())
    assert "paired by seed: of each of the 6 seeds, the difference between two methods' " + measure in text
    assert "no p can be below 0.031" in text and "mean loss" in text


def test_a_page_of_few_runs_says_that_nothing_can_be_seen(tmp_path):
    text = write_task_page(tmp_path / "few.html", "few", comparison(3)).read_text()
    assert "From 3 tasks no p can be below 0.25, whatever the methods." in text


def test_runs_without_a_success_are_worse_than_all_others(tmp_path):
    made = comparison(2)
    made.losses["gp"][:] = np.inf
    tests = against_others(made)
    assert tests.loc["Mine<1> against GP-BO", "wins"] == 2
    assert write_task_page(tmp_path / "page.html", "page", made).exists()
