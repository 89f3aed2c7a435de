"""XGBoost on regression sets (thesis 3.6.2, 8.3.1): eight hyperparameters of gradient boosted trees (Tables A.1, E.3).

    benchmark = xgboost("boston")
    benchmark.evaluate([configuration], budget=None, generator=np.random.default_rng(0))

The thesis treats every hyperparameter as continuous and rounds the integer ones before they reach XGBoost, so the
space has only floats; `INTEGERS` names the rounded ones. The loss is the root mean squared error of validation points,
in the units of the targets; the cost is the processor seconds of training and validating with one thread.

Where the thesis is silent: a set is split into 60% for training, 20% for validation and 20% for testing, as in its
chapter 7; targets are not scaled (it explains a failure by "the different scale of the function values"); boosting
starts at 0.5, the default of the library at the time, so that a learning rate of 1e-6 leaves the predictions there; and
subsampling draws anew in every evaluation, which makes the benchmark noisy.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float
from numpy.typing import NDArray

from core.data import load, train_validation_test_split
from core.foundation.errors import UserError, brief
from core.foundation.installation import needed_for
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget
from core.spaces import Column

INTEGERS = ("n_estimators", "max_depth")
NAMES = {  # those that the library calls otherwise
    "learning_rate": "eta",
    "l1_regularization": "alpha",
    "l2_regularization": "lambda",
    "subsampling": "subsample",
}
START = 0.5  # the prediction of no tree
SPLIT_SEED = 0
SEEDS = 2**31

Part = tuple[NDArray[np.float64], NDArray[np.float64]]


def space() -> ConfigurationSpace:
    """The configuration space of Table A.1: learning rate and both penalties on a logarithmic scale."""
    space = ConfigurationSpace(name="xgboost")
    space.add(
        Float("learning_rate", (1e-6, 1e-1), log=True),
        Float("gamma", (0.0, 2.0)),
        Float("l1_regularization", (1e-5, 1e3), log=True),
        Float("l2_regularization", (1e-5, 1e3), log=True),
        Float("n_estimators", (10.0, 500.0)),
        Float("subsampling", (0.1, 1.0)),
        Float("max_depth", (1.0, 15.0)),
        Float("min_child_weight", (0.0, 20.0)),
    )
    return space


@dataclass(frozen=True)
class XGBoost:
    """The benchmark on given parts, each inputs (n, d) and targets (n,); a noisy `Objective`."""

    name: str
    train: Part = field(repr=False)
    validation: Part = field(repr=False)
    test: Part = field(repr=False)
    _: KW_ONLY
    fidelity: Fidelity | None = None
    optimum: float | None = None

    @property
    def space(self) -> ConfigurationSpace:
        """Table A.1."""
        return space()

    @property
    def worst_loss(self) -> float:
        """The validation error of no tree at all."""
        return _rmse(np.full(len(self.validation[1]), START), self.validation[1])

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train and validate trees of each configuration; the generator gives the seeds of their subsamples.

        `info` has the test error of the same trees.

        Raises:
            UserError: a budget was given, or a configuration that is not one of the space.
        """
        with needed_for("the XGBoost benchmark"):  # here, because drawing the table of the space does without it
            import xgboost as library

        check_budget(self.fidelity, budget)
        losses, costs, info = [], [], []
        for configuration in configurations:
            parameters = parameters_of(configuration, self.space)
            rounds, seed = parameters.pop("n_estimators"), int(generator.integers(SEEDS))
            start = time.process_time()
            data = library.DMatrix(*self.train, nthread=1)
            trees = library.train({**parameters, "seed": seed}, data, num_boost_round=rounds)
            losses.append(_rmse(trees.inplace_predict(self.validation[0]), self.validation[1]))
            costs.append(time.process_time() - start)
            info.append({"test_error": _rmse(trees.inplace_predict(self.test[0]), self.test[1])})
        return Evaluation(np.array(losses), np.array(costs), tuple(info))


def parameters_of(configuration: Mapping[str, Any], allowed: ConfigurationSpace) -> dict[str, Any]:
    """The library's parameters, integers rounded.

    Raises:
        UserError: a hyperparameter that is missing, unknown, or outside its range; the message names it.
    """
    if different := set(configuration) ^ set(allowed):
        raise UserError(f"xgboost: {sorted(different)[0]!r} is missing or unknown; allowed: {', '.join(allowed)}")
    for name, value in configuration.items():
        low, high = Column.of(allowed[name]).bounds
        if not low <= value <= high:
            raise UserError(f"xgboost: {name} = {brief(value)}; allowed: from {low:g} to {high:g}")
    values = {
        NAMES.get(name, name): round(value) if name in INTEGERS else float(value)
        for name, value in configuration.items()
    }
    fixed = {"tree_method": "hist", "nthread": 1, "verbosity": 0, "base_score": START}
    return {**values, "objective": "reg:squarederror", **fixed}


def xgboost(dataset: str, most_rows: int | None = None) -> XGBoost:
    """The benchmark on a regression set of the catalogue.

    Args:
        most_rows: Maximum number of rows of the set, drawn at random before it is split.

    Raises:
        UserError: the set is one of classification.
        DataUnavailableError: the set is in none of the catalogue's places.
        ModuleNotFoundError: the library is missing, which stops here and is not recorded for every evaluation.
    """
    importlib.import_module("xgboost")
    data = load(dataset)
    if data.task != "regression":
        raise UserError(f"data set {dataset!r} is for {data.task}; allowed: regression")
    order = np.random.default_rng(SPLIT_SEED).permutation(len(data.y))[:most_rows]
    splits = train_validation_test_split(len(order), [SPLIT_SEED])
    train, validation, test = ((data.X[rows], data.y[rows]) for rows in (order[split[0]] for split in splits))
    return XGBoost(f"xgboost_{dataset}", train, validation, test)


def _rmse(predictions: NDArray[np.floating], y: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean((predictions.astype(np.float64) - y) ** 2)))
