"""Means and variances through a ReLU network whose weights are independent Gaussians.

Layer by layer, with W_ij ~ N(M_ij, V_ij), inputs z_i independent with means m_i and variances v_i, and a bias b_j that
is the weight of a constant unit:

    a_j = (sum_i z_i W_ij + b_j) / sqrt(I + 1)                     I inputs; the division keeps the scale of wide layers
    E a_j = (sum_i m_i M_ij + M_bj) / sqrt(I + 1)
    Var a_j = (sum_i [v_i (M_ij^2 + V_ij) + m_i^2 V_ij] + V_bj) / (I + 1)

a is then taken as Gaussian, N(m, v). With P = Pr(a > 0) and D the density of a at 0, the rectifier b = max(a, 0) has

    E b   = m P + v D
    Var b = v P - E b (E b - m),    where E b - m = v D - m (1 - P)

In this form nothing is lost to cancellation for positive m; and as no density is divided by a distribution function,
the far negative tail needs no special case: the relative error grows as (m^2 / v)^2 while both moments underflow.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from core.models.network import MLP

SMALLEST_VARIANCE = 1e-300  # keeps m / sqrt(v) finite if no weight upstream is uncertain


class Rectified(NamedTuple):
    """Moments of b = max(a, 0), and what their gradients need; all in the shape of a."""

    mean: Tensor
    variance: Tensor
    positive: Tensor  # P
    density: Tensor  # D


Tape = list[tuple[Tensor, Tensor | None, Rectified | None]]  # a layer's input, its variance, the rectifier below it


def rectify(mean: Tensor, variance: Tensor) -> Rectified:
    """Exact mean and variance of max(a, 0) for a ~ N(mean, variance)."""
    variance = variance.clamp_min(SMALLEST_VARIANCE)
    sd = variance.sqrt()
    ratio = mean / sd
    positive = 0.5 * torch.erfc(-ratio / 2**0.5)  # torch.special.ndtr loses the negative tail
    density = torch.exp(-0.5 * ratio.square()) / (sd * (2 * torch.pi) ** 0.5)
    product = variance * density
    out_mean = torch.addcmul(product, mean, positive).clamp_min(0)
    excess = torch.addcmul(product, mean, 1 - positive, value=-1)
    out_variance = torch.addcmul(variance * positive, out_mean, excess, value=-1).clamp_min(0)
    return Rectified(out_mean, out_variance, positive, density)


def rectify_backward(output: Rectified, grad_mean: Tensor, grad_variance: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients with respect to the mean and variance of a, given those with respect to the moments of b.

    dEb/dm = P,  dEb/dv = D / 2,  dVar b/dm = 2 Eb (1 - P),  dVar b/dv = P - Eb D.
    """
    mean, _, positive, density = output
    by_mean = torch.addcmul(grad_mean * positive, grad_variance, mean * (1 - positive), value=2)
    by_variance = torch.addcmul(positive, mean, density, value=-1).mul_(grad_variance)
    return by_mean, by_variance.addcmul_(grad_mean, density, value=0.5)


class MomentNetwork:
    """A ReLU network with a linear output that propagates means and variances, bound to those of its weights.

    Args:
        layout: Layout of a flat vector of P weights.
        mean, variance: Moments of the weights, (runs, P); call `refresh` after changing them in place.
    """

    def __init__(self, layout: MLP, mean: Tensor, variance: Tensor) -> None:
        self.layout, self.mean, self.variance = layout, mean, variance
        self.second_moment = torch.empty_like(mean)
        self.layers = list(zip(*map(self._unpack, (mean, variance, self.second_moment)), strict=True))
        self.refresh()

    def refresh(self) -> None:
        """Take in weights that have changed."""
        torch.addcmul(self.variance, self.mean, self.mean, out=self.second_moment)

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor, Tape]:
        """Mean and variance of the output at known inputs X (runs, q, d), each (runs, q), differentiable in X."""
        z = X
        z_variance: Tensor | None = None
        rectified: Rectified | None = None
        tape: Tape = []
        for (m, m_bias), (v, v_bias), (second, _) in self.layers:
            if z_variance is not None:
                rectified = rectify(z, z_variance)
                z, z_variance = rectified.mean, rectified.variance
            tape.append((z, z_variance, rectified))
            scale = 1 / (m.shape[1] + 1)
            a_variance = torch.baddbmm(v_bias, z.square(), v, beta=scale, alpha=scale)
            if z_variance is not None:
                a_variance = torch.baddbmm(a_variance, z_variance, second, alpha=scale)
            z, z_variance = torch.baddbmm(m_bias, z, m, beta=scale**0.5, alpha=scale**0.5), a_variance
        return z.squeeze(-1), a_variance.squeeze(-1), tape

    def backward(
        self, tape: Tape, grad_mean: Tensor, grad_variance: Tensor, by_mean: Tensor, by_variance: Tensor
    ) -> None:
        """Write the gradients with respect to the weights' means and variances into two (runs, P) tensors.

        Args:
            tape: Record of `forward`; the weights must not have changed since.
            grad_mean, grad_variance: Gradients with respect to the outputs, (runs, q).
            by_mean, by_variance: Outputs, overwritten with the gradients, summed over the q points.
        """
        grad_mean, grad_variance = grad_mean.unsqueeze(-1), grad_variance.unsqueeze(-1)
        passes = zip(self.layers, tape, self._unpack(by_mean), self._unpack(by_variance), strict=True)
        for ((m, _), (v, _), (second, _)), (z, z_variance, rectified), to_mean, to_variance in reversed(list(passes)):
            scale = 1 / (m.shape[1] + 1)
            grad_mean, grad_variance = grad_mean * scale**0.5, grad_variance * scale
            torch.sum(grad_mean, 1, keepdim=True, out=to_mean[1])
            torch.sum(grad_variance, 1, keepdim=True, out=to_variance[1])
            torch.bmm(z.mT, grad_mean, out=to_mean[0])
            torch.bmm(z.square().mT, grad_variance, out=to_variance[0])
            if rectified is not None:
                spread = z_variance.mT @ grad_variance
                to_variance[0].add_(spread)
                to_mean[0].addcmul_(m, spread, value=2)
                by_z = torch.addcmul(grad_mean @ m.mT, z, grad_variance @ v.mT, value=2)
                grad_mean, grad_variance = rectify_backward(rectified, by_z, grad_variance @ second.mT)

    def _unpack(self, flat: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Views of (runs, P): one (runs, in, out) weight and one (runs, 1, out) bias per layer."""
        return [(weight, bias.unsqueeze(1)) for weight, bias in self.layout.unpack(flat)]
