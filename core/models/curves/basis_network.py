"""LC-Net's network (thesis section 5.3, Fig. 5.2), for many chains and runs at once: its hidden layers map a
configuration to the asymptote, the weights and the parameters of the basis functions,

    g(x, t) = mu_inf(x) + A sum_k w_k(x) phi_k(t; theta_k(x))                           (Eq. 5.7, with the asymptote)

where w is a softmax and theta a sigmoid of their outputs, as in the authors' code, so that all curves rise or all fall.
(The thesis' Eq. 5.7 lacks mu_inf, which its text introduces.) A puts the residuals, whose range is [-1, 0], into the
units of the curves: the range of the observed values, negative if curves fall. Targets are standardized; the authors'
code has A = 1 and an asymptote in [0, 1] instead, for accuracies as they are. The noise is one variance per sample.

The five basis functions of the last layer (thesis section 5.3, Table B.2) are residuals phi(t) of a learning curve
from its value at t = 1, where each of them vanishes. Parameters are in [0, 1], t in (0, 1].

    vapor pressure   exp(-a - b/(10 t) - c/10 ln t) - exp(-a - b/10)
    power            a (t^b - 1)
    log power        2 a [1/(1 + e^(-c b/10)) - 1/(1 + e^(c (ln t - b/10)))]
    exponential      a (e^(-10 b) - e^(-10 b t))
    hill 3           a [1/((c/100)^b t^-b + 1) - 1/((c/100)^b + 1)]

Table B.2 prints three of the five, and not as residuals: its vapor pressure and hill 3 do not vanish at t = 1. In its
log function, 10 c + a/2 ln(b t), the residual is a/2 ln t whatever b and c are, the limit of power functions with small
b. Here log power replaces it, as in the authors' earlier code, from which power and exponential are also taken. In
that code log power and hill 3 do not vanish at t = 1 either; the forms above are theirs with the factors put right.

Rates are those of the whole curve: only vapor pressure and hill 3 can fall by more than 1 - e^-10t within t. Curves
whose fall ends after a few of many epochs lie outside the family, and LC-Net's asymptote is then too confident.

All functions rise to 0, and stay in [-1, 0] but for vapor pressure, which can exceed 0 as t^-c/10 does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.compiled import prediction
from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.models.bohamiann import INITIAL_LOG_NOISE, MCMCNetwork, one_each
from core.models.engines.choice import require_compiled
from core.models.engines.compiled import CurveEngine, CurveProblem
from core.models.engines.problem import PaddedSampler
from core.models.ensemble import check_scale, standardizer, training_data
from core.models.network import MLP
from core.models.sampled_network import BLOCK_ELEMENTS


def vapor_pressure(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """exp(-a - b/(10 t) - c/10 ln t) - exp(-a - b/10)."""
    return torch.exp(-a - b / (10 * t) - c / 10 * t.log()) - torch.exp(-a - b / 10)


def power(t: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """a (t^b - 1)."""
    return a * (t**b - 1)


def log_power(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """2 a [1/(1 + e^(-c b/10)) - 1/(1 + e^(c (ln t - b/10)))]."""
    shift = b / 10  # the same in both, or rounding leaves something at t = 1
    return 2 * a * (torch.sigmoid(c * shift) - torch.sigmoid(c * (shift - t.log())))


def exponential(t: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """a (e^(-10 b) - e^(-10 b t))."""
    return a * (torch.exp(-10 * b) - torch.exp(-10 * b * t))


def hill_3(t: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a [1/((c/100)^b t^-b + 1) - 1/((c/100)^b + 1)]."""
    half = (c / 100) ** b
    return a * (1 / (half * t**-b + 1) - 1 / (half + 1))


@dataclass(frozen=True)
class BasisFunction:
    """A residual by name, with its number of parameters."""

    name: str
    evaluate: Callable[..., Tensor]
    parameters: int

    @property
    def formula(self) -> str:
        """The formula as given in the function's docstring."""
        return (self.evaluate.__doc__ or "").removesuffix(".")


BASIS = (
    BasisFunction("vapor pressure", vapor_pressure, 3),
    BasisFunction("power", power, 2),
    BasisFunction("log power", log_power, 3),
    BasisFunction("exponential", exponential, 2),
    BasisFunction("hill 3", hill_3, 3),
)
PARAMETERS = sum(function.parameters for function in BASIS)


def residuals(t: Tensor, parameters: Tensor) -> Tensor:
    """All functions at t.

    Args:
        t: Times (...) in (0, 1].
        parameters: Parameters (..., PARAMETERS) in [0, 1], function by function in the order of `BASIS`.

    Returns:
        (..., 5), differentiable.
    """
    by_function = parameters.split([function.parameters for function in BASIS], -1)
    values = [function.evaluate(t, *theta.unbind(-1)) for function, theta in zip(BASIS, by_function, strict=True)]
    return torch.stack(torch.broadcast_tensors(*values), -1)


class BasisMLP(MLP):
    """Layers from a configuration to the head: asymptote, logits of the weights, logits of the parameters."""

    outputs: ClassVar[int] = 1 + len(BASIS) + PARAMETERS

    def head(self, theta: Tensor, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Asymptotes, weights (..., 5) and parameters (..., PARAMETERS) for theta (..., P_w) and X (..., B, d)."""
        *hidden, (W, b) = self.unpack(theta)
        a = X
        for weight, bias in hidden:
            a = torch.tanh(a @ weight + bias.unsqueeze(-2))
        asymptote, weights, parameters = (a @ W + b.unsqueeze(-2)).split([1, len(BASIS), PARAMETERS], -1)
        return asymptote.squeeze(-1), weights.softmax(-1), parameters.sigmoid().clamp_min(1e-6)

    def curve(self, theta: Tensor, X: Tensor, t: Tensor, amplitude: Tensor) -> Tensor:
        """g(x, t) for theta (..., P_w), X (..., B, d), t (..., B, k) and A (...): (..., B, k); differentiable.

        Leading axes broadcast, and t may be (k,).
        """
        asymptote, weights, parameters = self.head(theta, X)
        mixture = (residuals(t, parameters.unsqueeze(-2)) @ weights.unsqueeze(-1)).squeeze(-1)
        return asymptote.unsqueeze(-1) + amplitude[..., None, None] * mixture


class BasisNetwork(MCMCNetwork):
    """Samples of LC-Net's weights and noise variances, as a BoTorch model of X = (configuration, t).

    Args:
        The arguments are those of `BayesianNetwork`, except that `batch_size` counts curves, sampling runs on the CPU,
        and `warm_burn_in` and the torch engine are not available.

    Raises:
        UserError: a setting out of range.
    """

    network: BasisMLP
    sampler: PaddedSampler

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        require_compiled(self)

    def fit(self, X: Tensor, y: Tensor, generators: Generators, lengths: Tensor | None = None) -> BasisNetwork:
        """Sample the posterior of every run.

        Args:
            X: Configurations, (runs, n, d), or (n, d) for one run.
            y: Curves, (runs, n, T) or (n, T), at t = 1/T, ..., 1; values after a curve's observed epochs are ignored.
            generators: Generators, one per run, or one for all.
            lengths: Numbers of observed epochs of each curve, (runs, n) or (n,) int64, 0 to T; None for all T.

        Raises:
            UserError: data that are not finite or do not fit together, a run without an observation.
        """
        X, y, seen = self._prepare(X, y, lengths)
        generators = one_each(generators, len(X), self.device)
        problem = CurveProblem(
            network=self.network,
            X=X,
            y=y,
            chains_per_run=self.chains,
            batch_size=self.batch_size,
            covered=self.weight_prior.covers(self.network),
            noise_prior=self.noise_prior,
            lengths=seen.sum(-1),
            times=torch.arange(1, y.shape[-1] + 1) / y.shape[-1],
            amplitude=self.amplitude,
        )
        weights = self.network.init(generators, problem.chains)
        theta = torch.cat([weights, weights.new_full((problem.chains, 1), INITIAL_LOG_NOISE)], 1)
        engine = CurveEngine(problem, self.sampler, self.sampler.init(theta), generators)
        self._keep(self._sample(engine, problem.covered.bool(), generators), len(X), X.shape[-1] + 1)
        return self

    def _prepare(self, X: Tensor, y: Tensor, lengths: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Checked and standardized configurations and curves, float32, and which values are observed."""
        y = torch.as_tensor(y, dtype=torch.float64)
        if y.ndim not in (2, 3) or 0 in y.shape:
            raise UserError(f"training data: curves have shape {tuple(y.shape)}, expected (runs, n, T) or (n, T)")
        lengths = torch.full(y.shape[:-1], y.shape[-1]) if lengths is None else torch.as_tensor(lengths)
        if lengths.shape != y.shape[:-1] or (lengths < 0).any() or (lengths > y.shape[-1]).any():
            raise UserError(f"training data: lengths must be {tuple(y.shape[:-1])} from 0 to {y.shape[-1]}")
        seen = torch.arange(y.shape[-1]) < lengths.unsqueeze(-1)
        y = torch.where(seen, y, 0.0)
        X, firsts = training_data(X, y[..., 0].nan_to_num())
        y, seen = y.view(*firsts.shape, -1), seen.view(*firsts.shape, -1)
        if not torch.isfinite(y).all() or not seen.any(-1).any(-1).all():
            raise UserError("training data: observed values must be finite, and every run must have one")
        self.inputs = standardizer("X", X, -2)
        self.targets, self.amplitude = _units(y, seen)
        self.network = BasisMLP((X.shape[-1], *self.widths, BasisMLP.outputs), "tanh", self.initialisation)
        standard = self.targets.transform(y.flatten(1)).view(y.shape)
        return self.inputs.transform(X).float(), torch.where(seen, standard, 0.0).float(), seen

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs of all samples at X (..., runs, q, d + 1), whose last column is t, as `EnsembleModel.predict`.

        Raises:
            UserError: also for t outside (0, 1].
        """
        X = self.expand_runs(X)
        leading = X.shape[:-3]
        t = X[..., -1:].float().movedim(-3, 0).flatten(1, -2)
        if not ((t > 0) & (t <= 1)).all():
            raise UserError(f"t is from {t.min():g} to {t.max():g}; allowed: in (0, 1], epoch / epochs")
        standard = self.inputs.transform(X[..., :-1]).float().movedim(-3, 0).flatten(1, -2)
        complete = (t == 1).all() and not X.requires_grad  # the asymptote alone has no slope in t
        outputs = self._asymptotes(standard) if complete else self._curves(standard, t).squeeze(-1)
        outputs = outputs.double().unflatten(-1, (*leading, X.shape[-2])).movedim(1, -2)
        noise = self.targets.inverse_variance(self.noise_variance)
        return self.targets.inverse(outputs), noise.reshape(-1, *(1 for _ in leading), self.runs, 1)

    def curves(self, X: Tensor, t: Tensor) -> Tensor:
        """Return whole curves of all samples; the layers below the basis functions are evaluated only once.

        Args:
            X: Configurations, (runs, M, d).
            t: Times (k,) in (0, 1].

        Returns:
            (samples, runs, M, k) float64, in the units of the targets.
        """
        standard = self.inputs.transform(X).float()
        values = self.targets.inverse(self._curves(standard, t.float()).double().flatten(2))
        return values.view(*values.shape[:2], -1, len(t))

    def _asymptotes(self, standard: Tensor) -> Tensor:
        """mu_inf of all samples at standardized configurations (runs, M, d): (samples, runs, M)."""
        *hidden, (W, b) = self.network.unpack(self.samples)
        layers = [part.flatten(2) for layer in hidden for part in layer] + [W[..., 0], b[..., :1]]
        return prediction.network_outputs((*self.network.sizes[:-1], 1), torch.cat(layers, -1), standard)

    def _curves(self, standard: Tensor, t: Tensor) -> Tensor:
        """Standardized g of all samples at (runs, M, d) and t (k,) or (runs, M, k): (samples, runs, M, k)."""
        width = standard.shape[0] * standard.shape[1] * max(*self.network.sizes, len(BASIS) * t.shape[-1])
        members = max(1, BLOCK_ELEMENTS // width)
        amplitude = self.amplitude.float()
        return torch.cat([self.network.curve(theta, standard, t, amplitude) for theta in self.samples.split(members)])


def _units(y: Tensor, seen: Tensor) -> tuple[Standardizer[Tensor], Tensor]:
    """Standardizer of the observed values, of shape (runs, 1), and A in its units, (runs,)."""
    flat, mask = y.flatten(1), seen.flatten(1)
    number = mask.sum(1, keepdim=True)
    mean = (flat * mask).sum(1, keepdim=True) / number
    highest = flat.masked_fill(~mask, -torch.inf).amax(1, keepdim=True)
    lowest = flat.masked_fill(~mask, torch.inf).amin(1, keepdim=True)
    constant = highest == lowest
    scale = ((((flat - mean) * mask).square().sum(1, keepdim=True) / number).sqrt() * ~constant).clamp_min(0)
    check_scale("curves", lowest, highest, scale)
    scale = scale + (scale == 0)
    last = y.gather(-1, (seen.sum(-1, keepdim=True) - 1).clamp_min(0)).squeeze(-1)
    rise = ((last - y[..., 0]) * seen[..., 0]).mean(1, keepdim=True)
    span = torch.where(constant, 1.0, (highest - lowest) / scale)
    return Standardizer(mean, scale), torch.where(rise < 0, -span, span).squeeze(1)
