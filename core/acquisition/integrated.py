"""Acquisition functions integrated over the model's hyperparameters: Eq. 2.5 of the thesis, Eq. 12 of DNGO, both after
Snoek et al. (2012).

    a(x) = integral of a(x; xi) p(xi | D) d xi  =~  1/S sum_s a(x; xi_s)

The sampled integrand comes from moments with a leading sample axis. The utility is averaged, not its logarithm: if
values are logs, so is the result, log 1/S sum_s exp(log a).
"""

from dataclasses import dataclass

from botorch.utils.safe_math import logmeanexp
from torch import Tensor

from core.acquisition.base import Acquisition
from core.foundation.errors import UserError


@dataclass(frozen=True)
class Integrated:
    """The mean of `acquisition`, whose values are (samples, ..., runs, q), over the samples."""

    acquisition: Acquisition

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the integrand are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q).

        Raises:
            UserError: the integrand has no sample axis.
        """
        values = self.acquisition(X)
        if values.ndim != X.ndim:
            raise UserError(
                f"Integrated: values have shape {tuple(values.shape)} for X {tuple(X.shape)}, "
                "expected (samples, ..., runs, q)"
            )
        return logmeanexp(values, dim=0) if self.logarithmic else values.mean(0)
