"""Benchmarks and methods of paper.yaml that both drawings and claims name."""

from __future__ import annotations

import pandas as pd

from core.report.figures.data_sets import data_set_names

SURROGATE = ("random", "gp", "entropy_search", "hyperband", "mtbo", "fabolas")
"""The methods of Fig 4.5, right, and Fig 4.6; "gp" is Bayesian optimization with expected improvement.

On the surrogate they follow the authors' scripts and code: MTBO and Fabolas model the logarithm of the loss and count
no seconds of their own in the acquisition, and Fabolas' first evaluations are on 1/128, 1/64, 1/32 and 1/4.
"""

BY_TEXT = {"fabolas": "fabolas_text"}
"""Fabolas by the text, with first evaluations on 1/64 to 1/8."""

SHARES = {"mtbo": "s = 1/4", "share_1_16": "s = 1/16", "share_1_32": "s = 1/32", "share_1_512": "s = 1/512"}
"""MTBO with one auxiliary task, from the largest to the smallest."""

TASKS = {
    "mtbo": "one auxiliary task: 1/4",
    "two_tasks": "two: 1/4 and 1/32",
    "three_tasks": "three: 1/4, 1/32 and 1/512",
}
"""MTBO with one to three auxiliary tasks."""

SETS = data_set_names(("mnist", "letter", "magic_telescope", "electricity"))
"""The data sets of Fig 4.6; the last three stand in for vehicle registration and forest cover types."""

NETWORK_SETS = {"cifar10": "CIFAR-10", "svhn": "SVHN"}
"""The data sets of Fig 4.7."""

AUTHORS = "authors_svm_surrogate"
"""The surrogate that the thesis searched."""


def surrogate_name(frame: pd.DataFrame) -> str:
    """The surrogate that was searched: the authors', or the one that was run instead."""
    names = list(frame["benchmark"].unique())
    return AUTHORS if AUTHORS in names else names[0]


def surrogate_label(name: str) -> str:
    """Its name in a sentence."""
    return "the authors' surrogate of support vector machines on MNIST" if name == AUTHORS else f"the surrogate {name}"
