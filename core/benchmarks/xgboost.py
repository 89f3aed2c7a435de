"""The XGBoost benchmark of the thesis: eight hyperparameters of gradient boosted trees (Tables A.1 and E.3).

The thesis treats every hyperparameter as continuous and rounds the integer ones before they reach XGBoost, so the
space has only floats; `INTEGERS` names the rounded ones.
"""

from __future__ import annotations

from ConfigSpace import ConfigurationSpace, Float

INTEGERS = ("n_estimators", "max_depth")


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
