"""Models of learning curves whose members are sampled networks: what LC-Net and the plain network share."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from core.foundation.errors import ModelError
from core.foundation.randomness import make_generators
from core.models.curves.base import CurvePrediction, GlobalCurveModel
from core.models.curves.chains import AUTHORS, DEFAULTS
from core.models.curves.data import ObservedCurves, check_configurations, check_times
from core.models.mcmc_network import MCMCNetwork
from core.models.strayed import SHORTER_STEP

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SampledCurveModel(GlobalCurveModel):
    """Networks sampled by scale-adapted SGHMC; predictions are mixtures of the samples' Gaussians (Eq. 5.6).

    Args:
        settings: Settings of `core.models.bohamiann.BayesianNetwork`, by name, in place of `DEFAULTS`.

    Attributes:
        model: Sampled networks, a BoTorch model of (configuration, t): `model.posterior(X)` with X (..., q, d + 1).

    Samples of chains that strayed from the data are not used. The fit warns about such chains, and predictions raise a
    ModelError if no other chain is left.

    Raises:
        UserError: a setting out of range.
    """

    network: ClassVar[type[MCMCNetwork]]
    model: MCMCNetwork

    def __init__(self, **settings: Any) -> None:
        self.model = self.network(**{**DEFAULTS, **settings})

    @classmethod
    def authors(cls, **settings: Any) -> Self:
        """Return the model with the settings of the authors' code, `AUTHORS`; `settings` take precedence."""
        return cls(**{**AUTHORS, **settings})

    def _fit(self, observed: ObservedCurves, seed: int) -> None:
        self._sample(observed, make_generators([seed]))

    @abstractmethod
    def _sample(self, observed: ObservedCurves, generators: list[torch.Generator]) -> None:
        """Fit the networks."""

    def _predict(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> CurvePrediction:
        kept = self._kept()
        values = self._values(configurations, times)[kept]
        noise = self.model.targets.inverse_variance(self.model.noise_variance)[kept].mean().item()
        return CurvePrediction(values.mean(0).numpy(), values.var(0, correction=0).numpy() + noise)

    def _kept(self) -> torch.Tensor:
        """Whether each sample (samples,) comes from a chain that did not stray; the others are not used to predict."""
        stayed = ~self.model.strayed[0]
        if not stayed.any():
            raise ModelError(
                f"{type(self).__name__}: all {len(stayed)} chains left the data; allowed: at least one that stays. Fit "
                f"more curves, or take {SHORTER_STEP}"
            )
        return stayed.repeat(self.model.samples_per_chain)

    def _values(self, configurations: NDArray[np.float64], times: NDArray[np.float64]) -> torch.Tensor:
        """g(x, t) of every sample: (samples, m, k)."""
        rows = np.repeat(configurations, len(times), 0)
        inputs = np.column_stack([rows, np.tile(times, len(configurations))])
        values, _ = self.model.predict(torch.from_numpy(inputs))
        return values.view(len(values), len(configurations), len(times))

    def samples(self, configurations: Any, t: Any = 1.0) -> NDArray[np.float64]:
        """Values g(x, t) of every sampled network: draws from the posterior over curves, without observation noise.

        Samples of chains that strayed from the data are omitted.

        Args:
            configurations: Configurations to predict for, (m, d).
            t: Times epoch / epochs in (0, 1], one number or (k,).

        Returns:
            (samples, m), or (samples, m, k).

        Raises:
            UserError: before `fit`.
            UserError: t outside (0, 1], or configurations of another shape.
        """
        times = check_times(t)
        configurations = check_configurations(configurations, self.observed.configurations.shape[1])
        values = self._values(configurations, np.atleast_1d(times))[self._kept()].numpy()
        return values[..., 0] if times.ndim == 0 else values

    def plot(self, curves: int | list[int] = 6) -> Figure:
        """Plot the observed epochs and the predicted rest of some fitted curves, with two standard deviations.

        Args:
            curves: Indices of fitted curves, or the number of curves to pick, evenly spaced among all.

        The figure belongs to pyplot: `plt.show()` shows it, `figure.savefig(path)` writes it.
        """
        from core.models.curves.plot import plot_curves

        return plot_curves(self, curves)
