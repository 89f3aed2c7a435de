"""All problems by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.field import models, pipeline, stored
from benchmarks.field.bbob import bbob
from benchmarks.field.problem import Problem

REAL: dict[str, Callable[[str], Problem]] = {
    "svr_diabetes": partial(models.svr, dataset="diabetes"),
    "tree_wine_red": partial(models.tree, dataset="wine_red"),
    "pipeline_sonar": partial(pipeline.pipeline, dataset="sonar"),
    "network_boston": partial(models.network_regression, dataset="boston"),
    "table_protein": partial(stored.table, dataset="protein"),
    "surrogate_letter": partial(stored.surrogate, dataset="letter"),
    "boosting_heart": partial(stored.boosting, task="heart"),
    "descent_concrete": partial(models.descent, dataset="concrete"),
    "svm_breast_cancer": partial(models.svm, dataset="breast_cancer"),
    "boosting_energy": partial(models.boosting, dataset="energy"),
    "pipeline_vehicle": partial(pipeline.pipeline, dataset="vehicle"),
    "network_digits": partial(models.network_classification, dataset="digits"),
    "table_naval": partial(stored.table, dataset="naval"),
    "surrogate_optdigits": partial(stored.surrogate, dataset="optdigits"),
    "svm_mnist_surrogate": stored.svm_surrogate,
    "descent_diabetes": partial(models.descent, dataset="diabetes"),
}


def problem(name: str, seed: int) -> Problem:
    """The problem; a seed is an instance of a BBOB function, and does not change the others."""
    return bbob(name, seed) if name.startswith("bbob_") else REAL[name](name)
