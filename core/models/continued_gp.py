"""A Gaussian process whose chains of hyperparameters continue from one fit to the next.

In Bayesian optimization a suggestion's data are those of the last one and a few more, so that the last members are
nearly draws from the new posterior. RoBO's GP, with which the authors of the thesis worked, also burns in only once.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from core.errors import UserError
from core.models import matern
from core.models.gaussian_process import MarginalisedGP
from core.randomness import Generators


class ContinuedGP(MarginalisedGP):
    """Its first fit burns in for `burn_in` sweeps, later ones to as many runs for `warm_burn_in`; other arguments are
    those of `MarginalisedGP`."""

    _last: Tensor | None = None

    @torch.no_grad()
    def find(self, X: Tensor, y: Tensor, generators: Generators, initial: Tensor | None = None) -> Tensor:
        """As `MarginalisedGP.find`, from the last members unless others are given.

        Raises:
            UserError: last members of other inputs.
        """
        if initial is None and self._last is not None and self._last.shape[1] == len(X):
            length = len(matern.centre(X, self.warping, self.basis))
            if self._last.shape[2] != length:
                raise UserError(
                    f"ContinuedGP: the last chains have {self._last.shape[2]} hyperparameters, these data {length}; "
                    "continue with the same inputs"
                )
            initial = self._last
        self._last = super().find(X, y, generators, initial)
        return self._last

    def chain_state(self) -> dict[str, Tensor]:
        """The last hyperparameters, (M, runs, P), for `load_chain_state`; empty before `fit`."""
        return {} if self._last is None else {"theta": self._last}

    def load_chain_state(self, state: Mapping[str, Tensor]) -> None:
        """Let the next `fit` continue from there.

        Raises:
            UserError: something that is not the state of a model with as many members.
        """
        theta, members = state.get("theta"), self.chains * self.samples
        if state and (theta is None or theta.ndim != 3 or len(theta) != members):
            found = sorted(state) if theta is None else tuple(theta.shape)
            raise UserError(
                f"ContinuedGP: chain state {found}; allowed: 'theta' of shape ({members}, runs, P), or none"
            )
        self._last = theta
