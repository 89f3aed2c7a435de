"""LC-Net for a user's learning curves (thesis section 5.3; Klein et al., ICLR 2017).

The plain Bayesian network on (configuration, t) (thesis section 5.2): BOHAMIANN's, a point per observed epoch.

Models of learning curves whose members are sampled networks: what LC-Net and the plain network share.

A figure of fitted learning curves: observations and predictions.

Settings of the chains that sample the networks of learning curves: the authors' and ours.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from core.foundation.errors import ModelError, UserError, brief
from core.foundation.installation import needed_for
from core.foundation.randomness import make_generators
from core.foundation.validation import require_count
from core.models.bohamiann import BayesianNetwork, MCMCNetwork
from core.models.chains import SHORTER_STEP
from core.models.curves.base import CurveModel, CurvePrediction, GlobalCurveModel
from core.models.curves.basis_network import BasisNetwork
from core.models.curves.data import ObservedCurves, check_configurations, check_times
from core.models.priors import AveragedNormal, LogNormalNoise

if TYPE_CHECKING:
    from matplotlib.figure import Figure


AUTHORS: Mapping[str, Any] = MappingProxyType(
    {
        "widths": (50, 50, 50),
        "initialisation": "uniform",
        "weight_prior": AveragedNormal(),
        "noise_prior": LogNormalNoise(),
        "chains": 1,
        "burn_in": 3000,
        "steps": 13000,
        "thinning": 100,
    }
)
"""The authors' code: torch's initial weights, a nearly flat prior on them, one chain of 13,000 steps."""
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {**AUTHORS, "chains": 4, "noise_prior": LogNormalNoise(math.log(1e-3), 1.0)}
)
"""Ours: chains that start apart see more of what early epochs leave open, and the authors' noise prior, around 1e-6 of
the curves' variance with a standard deviation of 0.1 in its logarithm, outweighs a few hundred observations."""


def plot_curves(model: CurveModel, curves: int | list[int] = 6) -> Figure:
    """One panel per curve: observed epochs as dots, predictions as a line with two standard deviations.

    Args:
        model: Fitted model of learning curves.
        curves: Indices of fitted curves, or the number of curves to pick, evenly spaced among all.

    Raises:
        UserError: before `fit`.
        UserError: curves that do not exist.
    """
    with needed_for("plot"):
        from matplotlib import pyplot

    observed = model.observed
    number = len(observed.values)
    if isinstance(curves, Iterable):
        chosen = [require_count(f"curves[{place}]", index, least=0) for place, index in enumerate(curves)]
        if not chosen or max(chosen) >= number:
            raise UserError(
                f"curves is {brief(curves)}; allowed: a number of curves, or indices from 0 to {number - 1}"
            )
    else:
        count = require_count("curves", curves, f", or a list of indices from 0 to {number - 1}")
        chosen = np.unique(np.linspace(0, number - 1, min(count, number)).astype(int)).tolist()
    mean, variance = model.extrapolate(observed.times)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    figure, panels = pyplot.subplots(
        rows, columns, figsize=(2.4 * columns + 0.6, 1.9 * rows + 0.5), sharex=True, squeeze=False, layout="constrained"
    )
    epochs = np.arange(1, observed.epochs + 1)
    for axes, curve in zip(panels.flat, chosen):
        spread = 2 * np.sqrt(variance[curve])
        axes.fill_between(epochs, mean[curve] - spread, mean[curve] + spread, alpha=0.25, linewidth=0)
        axes.plot(epochs, mean[curve], label="predicted")
        axes.plot(epochs, observed.values[curve], "k.", markersize=3, label="observed")
        axes.set_title(f"curve {curve}", fontsize="small")
    for axes in panels.flat[len(chosen) :]:
        axes.set_axis_off()
    figure.supxlabel("epoch")
    panels.flat[0].legend(frameon=False, fontsize="small")
    return figure


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

        return plot_curves(self, curves)


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


class CurveNetwork(SampledCurveModel):
    """Bayesian network without prior knowledge of learning curves; t is one more input."""

    network = BayesianNetwork
    model: BayesianNetwork

    def _sample(self, observed: ObservedCurves, generators: list[torch.Generator]) -> None:
        inputs, values = observed.points()
        self.model.fit(torch.from_numpy(inputs), torch.from_numpy(values), generators)
