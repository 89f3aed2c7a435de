"""LC-Net's network (thesis section 5.3, Fig. 5.2), for many chains and runs at once: its hidden layers map a
configuration to the asymptote, the weights and the parameters of the basis functions,

    g(x, t) = mu_inf(x) + A sum_k w_k(x) phi_k(t; theta_k(x))                           (Eq. 5.7, with the asymptote)

where w is a softmax and theta a sigmoid of their outputs, as in the authors' code, so that all curves rise or all fall.
(The thesis' Eq. 5.7 lacks mu_inf, which its text introduces.) A puts the residuals, whose range is [-1, 0], into the
units of the curves: the range of the observed values, negative if curves fall. Targets are standardized; the authors'
code has A = 1 and an asymptote in [0, 1] instead, for accuracies as they are. The noise is one variance per sample.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.compiled import prediction
from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.models.curves.basis import BASIS
from core.models.curves.basis_mlp import BasisMLP
from core.models.engines.choice import require_compiled
from core.models.engines.curves import CurveEngine, CurveProblem
from core.models.engines.padded import PaddedSampler
from core.models.ensemble import check_scale, standardizer, training_data
from core.models.mcmc_network import INITIAL_LOG_NOISE, MCMCNetwork, one_each
from core.models.sampled_network import BLOCK_ELEMENTS


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
