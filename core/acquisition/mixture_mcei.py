"""Expected improvement with evaluations pending, for mixtures of Gaussian processes: a_MCEI of Snoek et al. (2012) and
DNGO (section 3.3), integrated over hyperparameters (DNGO, Eqs. 11 and 12).

Each member i is a Gaussian process with hyperparameters Theta_i: its fantasies are drawn from its own joint prediction
at the J pending points, noise included, and it is conditioned on them exactly,

    y_f ~ N(mu_i(x_1 .. x_J), K_i),    K_i = Sigma_i(x_1 .. x_J) + sigma_i^2 I
    mu_f(x) = mu_i(x) + c_i(x)' K_i^-1 (y_f - mu_i(x_1 .. x_J)),    v_f(x) = v_i(x) - c_i(x)' K_i^-1 c_i(x)

with c_i(x) the member's covariances of x with the pending points, and v_i the variance of f. Without pending points
this is the acquisition integrated over the members. For its use see `core.acquisition.mcei`.
"""

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_
from core.foundation.validation import check_counts
from core.models.mixture import GaussianMixtureModel


class MixtureFantasies:
    """Outcomes of pending evaluations, drawn once, and the mixture's predictions given each of them.

    Args:
        model: Fitted mixture of M members.
        pending: Points under evaluation, (runs, J, d); J may be 0.
        best: Smallest observation y*, (runs,).
        generators: Generators, one per run, or one for all runs.
        fantasies: Number of outcomes for each member; F = fantasies * M.

    Attributes:
        outcomes: Fantasies y_f in the units of the targets, (F, runs, J), one of every member before the next.
        best: Smallest values min(y*, min_j y_fj), (F, runs).

    Raises:
        UserError: shapes that do not match the model, or fewer than one fantasy.
    """

    def __init__(
        self, model: GaussianMixtureModel, pending: Tensor, best: Tensor, generators: Generators, *, fantasies: int = 1
    ) -> None:
        check_counts("MixtureFantasies", fantasies=fantasies)
        if pending.ndim != 3 or pending.shape[0] != model.runs or best.shape != (model.runs,):
            raise UserError(
                f"MixtureFantasies: pending has shape {tuple(pending.shape)} and best {tuple(best.shape)}, "
                f"expected ({model.runs}, J, {model.dimension}) and ({model.runs},)"
            )
        self.model, self.pending = model, model.expand_runs(pending).double()
        with torch.no_grad():
            mean, covariance = model.joint(self.pending)
            root, self.inverse = _root_and_inverse(covariance + torch.diag_embed(model.noise()[..., None] + 0 * mean))
            source = generators.device if isinstance(generators, torch.Generator) else generators[0].device
            members, runs, waiting = mean.shape
            normals = torch.empty(runs, fantasies, members, waiting, dtype=mean.dtype, device=source)
            normals = normal_(normals, generators).to(mean.device).movedim(0, 2)
            self.surprise = (root @ normals.unsqueeze(-1)).squeeze(-1)  # (fantasies, M, runs, J), standardized
            self.outcomes = model.targets.inverse(mean + self.surprise).flatten(0, 1)
            self._conditioned = model.conditioned(self.pending, self.inverse, self.surprise)
            known = best.to(mean).expand(len(self.outcomes), -1).unsqueeze(-1)
            self.best = torch.cat([known, self.outcomes], -1).amin(-1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Means and variances, noise included, given each fantasy: X (..., runs, q, d) to (F, ..., runs, q)."""
        mean, variance = self._conditioned(self.model.expand_runs(X).double())
        noise = self.model.noise().view(len(variance), *(1 for _ in range(variance.ndim - 3)), -1, 1)
        # Rounding errors may explain more variance than there is.
        variance = (variance.clamp_min(0) + noise).expand(len(mean), *(-1 for _ in range(variance.ndim)))
        means = self.model.targets.inverse(mean.flatten(0, 1))
        return means, self.model.targets.inverse_variance(variance.flatten(0, 1))


def _root_and_inverse(covariance: Tensor) -> tuple[Tensor, Tensor]:
    """A root R with R R' = K, and the pseudo-inverse, of covariances (..., J, J) that may be singular.

    A covariance that is not finite gets the identity's: its member's mean is not finite either, and affects no other.
    """
    finite = covariance.isfinite().flatten(-2).all(-1)
    eye = torch.eye(covariance.shape[-1], dtype=covariance.dtype, device=covariance.device)
    values, vectors = torch.linalg.eigh(torch.where(finite[..., None, None], covariance, eye))
    largest = torch.cat([values, values.new_zeros(*values.shape[:-1], 1)], -1).amax(-1, keepdim=True)
    solid = values > largest * covariance.shape[-1] * torch.finfo(values.dtype).eps
    inverse = torch.where(solid, 1 / torch.where(solid, values, 1.0), 0.0)
    root = vectors * torch.where(solid, values, 0.0).sqrt().unsqueeze(-2)
    return root, (vectors * inverse.unsqueeze(-2)) @ vectors.mT
