"""The space of the support vector machines of the thesis (Table 4.1), apart from what trains them."""

from __future__ import annotations

import math

from ConfigSpace import ConfigurationSpace, Float

BOUND = 10.0  # both hyperparameters are in [e^-10, e^10]
SMALLEST_SHARE = 1 / 512  # of the training data (section 4.2)


def svm_space() -> ConfigurationSpace:
    """Table 4.1: the regularization C and the kernel parameter gamma, both on a logarithmic scale."""
    space = ConfigurationSpace(name="SVM")
    bounds = (math.exp(-BOUND), math.exp(BOUND))
    space.add(Float("C", bounds, log=True), Float("gamma", bounds, log=True))
    return space
