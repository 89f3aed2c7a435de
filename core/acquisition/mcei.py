"""Expected improvement with evaluations pending: a_MCEI of Snoek et al. (2012), DNGO section 3.3 and the NIPS paper's
asynchronous mode.

    a_MCEI(x) = integral of a_EI(x; D + {(x_j, y_j)}) p(y_1 .. y_J | D) dy  =~  1/F sum_f a_EI(x; D + {(x_j, y_fj)})

A fantasy y_f is what one sampled function of the ensemble predicts at all pending points, with observation noise.
Refitting the ensemble to each fantasy would cost F fits; instead the predictive distribution of Eq. 5, a Gaussian that
matches the ensemble's moments, is taken jointly over x and the pending points and conditioned on the fantasy:

    c(x)       = 1/M sum_i (f_i(x) - mu(x)) (f_i(x_j) - mu(x_j))             (J), covariances over the members
    K          = 1/M sum_i (f_i(x_j) - mu(x_j)) (f_i(x_k) - mu(x_k)) + noise  (J, J)
    mu_f(x)    = mu(x) + c(x)' K^-1 (y_f - mu(x_j)),    sigma_f^2(x) = sigma^2(x) - c(x)' K^-1 c(x)
    y*_f       = min(y*, min_j y_fj)

Without pending points this is EI of Eq. 1. `moments` and `best` have the fantasies as sample axis, so
`Integrated(LogExpectedImprovement(fantasies.moments, fantasies.best))` is log a_MCEI; a constraint's probability
enters as in `core.acquisition.constrained`.
"""

import torch
from torch import Tensor

from core.acquisition.thompson import draw_members
from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_
from core.foundation.validation import check_counts
from core.models.ensemble import EnsembleModel
from core.models.mixture import GaussianMixtureModel


class Fantasies:
    """Outcomes of pending evaluations, drawn once, and the ensemble's predictions given each of them.

    Args:
        model: Fitted ensemble.
        pending: Points under evaluation, (runs, J, d); J may be 0.
        best: Smallest observation y*, (runs,).
        generators: Generators, one per run, or one for all runs.
        fantasies: Number F of outcomes.

    Attributes:
        outcomes: Fantasies y_f, (F, runs, J).
        best: Smallest values y*_f, (F, runs).

    Raises:
        UserError: shapes that do not match the model, or fewer than one fantasy.
        UserError: a mixture of Gaussian processes, whose members are not functions: see `MixtureFantasies`.
    """

    def __init__(
        self, model: EnsembleModel, pending: Tensor, best: Tensor, generators: Generators, *, fantasies: int = 10
    ) -> None:
        check_counts("Fantasies", fantasies=fantasies)
        if isinstance(model, GaussianMixtureModel):
            raise UserError(f"Fantasies: members of {type(model).__name__} are not functions; use MixtureFantasies")
        if pending.ndim != 3 or pending.shape[0] != model.runs or best.shape != (model.runs,):
            raise UserError(
                f"Fantasies: pending has shape {tuple(pending.shape)} and best {tuple(best.shape)}, "
                f"expected ({model.runs}, J, {model.dimension}) and ({model.runs},)"
            )
        self.model = model
        with torch.no_grad():
            members = draw_members(model, fantasies, generators)
            means, noise = (values.double() for values in model.predict(pending))
            noise = noise.expand_as(means)
            self.mean = means.mean(0)
            self.deviations = means - self.mean
            self.inverse = _inverse(self.deviations, noise.mean(0))
            index = members.T.unsqueeze(-1).expand(-1, -1, pending.shape[1])
            source = generators.device if isinstance(generators, torch.Generator) else generators[0].device
            normals = torch.empty(model.runs, fantasies, pending.shape[1], dtype=torch.float64, device=source)
            normal_(normals, generators)
            spread = noise.gather(0, index).sqrt() * normals.to(means.device).transpose(0, 1)
            self.outcomes = means.gather(0, index) + spread
            known = best.to(means).expand(fantasies, -1).unsqueeze(-1)
            self.best = torch.cat([known, self.outcomes], -1).amin(-1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Predictive means (F, ..., runs, q) and variances (1, ..., runs, q), noise included, given each fantasy."""
        means, noise = self.model.predict(X)
        mean, noise = means.mean(0), noise.mean(0)
        deviations = means - mean
        covariance = torch.einsum("s...rq,srj->...rqj", deviations, self.deviations) / len(means)
        weights = covariance @ self.inverse
        surprise = (self.outcomes - self.mean).permute(1, 2, 0)
        conditional = mean + (weights @ surprise).movedim(-1, 0)
        explained = (weights * covariance).sum(-1)
        # Rounding errors may explain more variance than there is.
        variance = (deviations.square().mean(0) - explained).clamp_min(0) + noise
        return conditional, variance.unsqueeze(0)


def _inverse(deviations: Tensor, noise: Tensor) -> Tensor:
    """K^-1, (runs, J, J), of deviations (members, runs, J) and noise variances (runs, J).

    A pseudo-inverse: a point that is pending twice, without noise, makes K singular. A run whose members diverged, with
    K not finite, gets the identity; its deviations make its own predictions nan and affect no other run.
    """
    kernel = torch.einsum("srj,srk->rjk", deviations, deviations) / len(deviations) + torch.diag_embed(noise)
    finite = kernel.isfinite().flatten(1).all(-1)
    eye = torch.eye(kernel.shape[-1], dtype=kernel.dtype, device=kernel.device)
    inverse: Tensor = torch.linalg.pinv(torch.where(finite[:, None, None], kernel, eye), hermitian=True)
    return inverse
