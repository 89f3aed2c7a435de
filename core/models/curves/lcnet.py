"""LC-Net for a user's learning curves (thesis section 5.3; Klein et al., ICLR 2017)."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from core.models.curves.basis_network import BasisNetwork
from core.models.curves.data import ObservedCurves
from core.models.curves.sampled import SampledCurveModel


class LCNet(SampledCurveModel):
    """Bayesian network with the layer of basis functions, `core.models.curves.basis_network`.

        model = LCNet().fit(configurations, curves)               # (n, d); (n, T) with nan for epochs to come
        mean, variance = model.predict(configurations)            # at t = 1: (n,) each
        mean, variance = model.predict(others, t=[0.5, 1.0])      # (m, 2) each
        model.samples(others)                                     # draws of the values at t = 1: (samples, m)
        model.plot()

    Curves may be losses or accuracies in any unit. Whether they rise or fall is decided for all of them together.
    """

    network = BasisNetwork
    model: BasisNetwork

    def _sample(self, observed: ObservedCurves, generators: list[torch.Generator]) -> None:
        X, y, lengths = observed.configurations, observed.values, observed.lengths
        self.model.fit(torch.from_numpy(X), torch.from_numpy(y), generators, torch.from_numpy(lengths))

    def _values(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> torch.Tensor:
        if (times == 1).all():
            return super()._values(configurations, times)
        return self.model.curves(torch.from_numpy(configurations)[None], torch.from_numpy(times)).squeeze(1)
