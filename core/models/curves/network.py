"""The plain Bayesian network on (configuration, t) (thesis section 5.2): BOHAMIANN's, a point per observed epoch."""

from __future__ import annotations

import torch

from core.models.bohamiann import BayesianNetwork
from core.models.curves.data import ObservedCurves
from core.models.curves.sampled import SampledCurveModel


class CurveNetwork(SampledCurveModel):
    """Bayesian network without prior knowledge of learning curves; t is one more input."""

    network = BayesianNetwork
    model: BayesianNetwork

    def _sample(self, observed: ObservedCurves, generators: list[torch.Generator]) -> None:
        inputs, values = observed.points()
        self.model.fit(torch.from_numpy(inputs), torch.from_numpy(values), generators)
