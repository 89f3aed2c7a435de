"""Benchmarks and methods of paper.yaml that both drawings and claims name, in the thesis' order."""

from __future__ import annotations

from core.report.figures.data_sets import data_set_names

DIMENSIONS = ("d8", "d16", "d32", "d64")
"""Stochastic counting ones, half of the hyperparameters categorical."""

COUNTING_ONES = "counting_ones"
"""The experiment on counting ones of all methods but SMAC."""

COUNTING_ONES_SMAC = "counting_ones_smac"
"""The same for SMAC, which is optional."""

SURROGATES = ("surrogates", "surrogates_gp", "surrogates_lcnet")
"""The experiments on surrogates; GP-BO and Hyperband with LC-Net have separate ones."""

BY_TEXT = "surrogates_text"
"""Hyperband and BOHB on the surrogates by the text, where the others follow the authors' code."""


SVM_SEARCHES = "fabolas/surrogate"
"""The experiment with the other methods of Fig 6.3; its Hyperband has another incumbent."""

SVM_METHODS = ("random", "gp", "mtbo", "fabolas", "hyperband", "bohb")
"""The methods of Fig 6.3."""

DATA_SETS = data_set_names(("adult", "higgs", "letter", "mnist", "optdigits", "poker"))

RESOLUTION = 1e-4
"""Of a surrogate's error: one of 10,000 validation images."""

SHOWN = "optdigits"
"""The data set of Fig 6.4, which the thesis does not name."""

POLICY_EXPERIMENTS = ("ppo", "ppo_live")
"""The searches of Fig 6.6, on agents that were trained before and with agents that are trained live."""

POLICY_METHODS = ("random", "tpe", "hyperband", "bohb")
"""The methods of Fig 6.6 that the text of 6.4.4 speaks of, and random search."""

WORKERS = [f"workers_{n}" for n in (1, 2, 4, 8, 16, 32)]
SAMPLES = [f"samples_{n}" for n in (4, 16, 64, 256)]
RANDOM_FRACTIONS = [f"random_{part}" for part in ("0", "0.1", "0.33", "0.67")]
ETAS = [f"eta_{n}" for n in (2, 3, 4, 5)]
FACTORS = [f"factor_{n}" for n in (1, 2, 3, 5)]
