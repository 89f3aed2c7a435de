"""Probabilistic backpropagation (Hernandez-Lobato and Adams, ICML 2015), read in this order:

moments   means and variances through a ReLU network with uncertain weights, and their gradients
updates   the two closed-form updates that match moments: Gaussian weights, Gamma precisions
prior     the factors of the weight prior, refined by expectation propagation
model     assumed density filtering over the data, and the BoTorch model
"""

from core.models.pbp.model import ProbabilisticBackpropagation

__all__ = ["ProbabilisticBackpropagation"]
