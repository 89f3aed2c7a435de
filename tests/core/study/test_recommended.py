"""The configuration that a method recommends, where that is not the best one seen."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from core import minimize
from core.optimizers.random_search import RandomSearch
from core.spaces import as_space
from core.study.evaluation import evaluation_of
from core.study.methods import method_of
from core.study.record import Record, recommended
from core.study.result import Result

SPACE = {"x": (-5.0, 5.0)}
SMALL = {"representers": 5, "candidates": 50, "hyperparameter_samples": 2, "burn_in": 3}


class Latest(RandomSearch):
    """Recommends what it was told last, and notes that like a method that fits its model when it proposes."""

    def __init__(self):
        super().__init__(as_space(SPACE), np.random.default_rng(0))
        self.told = deque(maxlen=1)

    def _propose(self):
        configuration, budget, notes = super()._propose()
        return configuration, budget, {**notes, **({"recommended": self.told[0]} if self.told else {})}

    def _observe(self, trial, outcome):
        self.told.append(trial.number)

    def recommend(self):
        return self.told[0]


def loss(configuration):
    return configuration["x"] ** 2


def record(number, value, noted=None, failure=""):
    notes = {} if noted is None else {"recommended": noted}
    return Record(number, {"x": number}, None, value, 1.0, failure, 0.0, 0.0, 0, notes=notes)


def test_the_note_of_the_latest_proposal_counts_in_whatever_order_results_arrive():
    arrived = [record(0, 5.0), record(2, 3.0, 0), record(4, 2.0, 3), record(3, 1.0, 2), record(1, 9.0, 0)]
    assert recommended(arrived) == [0, 3, 3, 3, 3] and recommended(arrived, 2) == [0, 3, 3, 3, 2]
    assert Result(arrived).best.number == 3 and Result(arrived, 2).best.number == 2


def test_a_failed_trial_is_not_the_best_though_a_model_recommends_it():
    arrived = [record(0, 5.0), record(1, 3.0, 0), record(2, 1e100, 1, "died"), record(3, 2.0, 2)]
    assert recommended(arrived) == [0, 1, 2, 2], "cells keep what the method said"
    assert (
        Result(arrived).best.number == 1 and Result(arrived, 2).best.number == 1 and Result(arrived, 3).best_loss == 2
    )
    nothing = [replace(each, failure="died") for each in arrived]
    assert Result(nothing, 2).best is None


def test_the_last_evaluation_counts():
    result = minimize(loss, SPACE, Latest(), 5)
    assert result.best.number == 4 and result.best_loss == loss(result.records[4].configuration)


def test_a_journal_keeps_the_last_recommendation(tmp_path):
    path = tmp_path / "run.jsonl"
    first = minimize(loss, SPACE, Latest(), 5, journal=path)
    again = minimize(lambda configuration: 1 / 0, SPACE, Latest(), 5, journal=path)
    assert first.best == again.best and first.best.number == 4
    longer = minimize(loss, SPACE, Latest(), 8, journal=path)
    assert longer.best.number == 7 and minimize(loss, SPACE, Latest(), 8).best.configuration == (
        longer.best.configuration
    )
    assert minimize(loss, SPACE, Latest(), 6, journal=path).best.number == 5


@pytest.mark.parametrize("name", ["entropy_search", "fabolas", "mtbo"])
def test_a_recommendation_is_what_the_next_proposal_notes_and_leaves_no_trace(name):
    budgets = None if name == "entropy_search" else (1 / 4, 1)
    given = {} if name == "entropy_search" else {"initial_design": 2}
    method = method_of({"method": name, **SMALL, **given})

    def valued(configuration, *share):
        return configuration["x"] ** 2 - sum(share), 1.0 + sum(share)

    short, long = (minimize(valued, SPACE, method, n, budgets=budgets) for n in (10, 11))
    assert short.best.number == long.records[10].notes["recommended"]
    optimizers = [method.build(as_space(SPACE), 0, budgets) for _ in range(2)]
    assert optimizers[0].recommend() is None
    for optimizer in optimizers:
        for each in short.records[:9]:
            (trial,) = optimizer.ask()
            optimizer.tell(trial, evaluation_of(each))
    assert optimizers[1].recommend() in range(9)
    assert optimizers[0].ask() == optimizers[1].ask()


class TestHistory:
    """What was recommended at a time is the best then, though another evaluation had a smaller loss."""

    RECORDS = tuple(
        replace(record(number, value, noted), finished=float(number + 1))
        for number, value, noted in [(0, 5.0, None), (1, 3.0, 0), (2, 1.0, 1), (3, 2.0, 1)]
    )

    def test_incumbents_end_with_the_best(self):
        result = Result(self.RECORDS, last=3)
        assert result.history.incumbents()["trial"].tolist() == [0, 1, 3]
        assert result.history.final()["trial"].tolist() == [3] == [result.best.number]

    def test_times_are_those_of_the_recommendation(self):
        history = Result(self.RECORDS, last=3).history
        assert history.at([0.5, 1.5, 2.5, 3.5, 4.0])[0, 1:].tolist() == [5.0, 3.0, 3.0, 2.0]
        assert history.time_to(1.5).tolist() == [np.inf] and history.time_to(3.0).tolist() == [2.0]

    def test_a_run_without_a_success_has_no_final(self):
        failed = [replace(each, failure="died") for each in self.RECORDS]
        assert Result(failed, last=3).history.final().empty

    def test_the_plot_has_the_recommended(self):
        axes = Result(self.RECORDS, last=3).plot().axes[0]
        [line] = [line for line in axes.lines if line.get_label() == "recommended"]
        assert line.get_ydata().tolist() == [5.0, 3.0, 3.0, 2.0, 2.0]

    def test_of_a_search(self):
        result = minimize(loss, SPACE, Latest(), 6)
        assert result.history.final()["configuration"].tolist() == [result.best_configuration]
