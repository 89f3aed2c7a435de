"""Each peer with the defaults that its users get, by name: functions of a space, a seed and a number of evaluations.

Optuna and SMAC are wrapped by the library (`core.optimizers`); BoTorch and HEBO in modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from ConfigSpace import ConfigurationSpace


class Peer(Protocol):
    """A search that is asked for one configuration at a time."""

    def ask(self) -> Mapping[str, Any]:
        """The next configuration."""
        ...

    def tell(self, loss: float, failed: bool) -> None:
        """The loss of the last one; of a failure the largest loss so far."""
        ...


class _Wrapped:
    """One of the library's wrappers of another library."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer

    def ask(self) -> Mapping[str, Any]:
        (self.trial,) = self.optimizer.ask()
        configuration: Mapping[str, Any] = self.trial.configuration
        return configuration

    def tell(self, loss: float, failed: bool) -> None:
        self.optimizer.tell(self.trial, loss)


def optuna_tpe(space: ConfigurationSpace, seed: int, evaluations: int) -> Peer:
    """Optuna's default, whose densities are joint ones since version 5."""
    import optuna

    return _optuna(space, seed, lambda own: optuna.samplers.TPESampler(seed=own))


def optuna_gp(space: ConfigurationSpace, seed: int, evaluations: int) -> Peer:
    """Optuna's Gaussian process."""
    import optuna

    return _optuna(space, seed, lambda own: optuna.samplers.GPSampler(seed=own))


def _optuna(space: ConfigurationSpace, seed: int, make: Callable[[int], Any]) -> Peer:
    from core.optimizers.tpe import OptunaSearch

    return _Wrapped(OptunaSearch(space, np.random.default_rng(seed), make))


def smac(space: ConfigurationSpace, seed: int, evaluations: int) -> Peer:
    """SMAC's facade for hyperparameter optimization."""
    from core.optimizers.smac import SMAC

    return _Wrapped(SMAC(space, np.random.default_rng(seed), evaluations=evaluations))


def botorch(space: ConfigurationSpace, seed: int, evaluations: int) -> Peer:
    """A single-task Gaussian process with LogEI."""
    from benchmarks.field.peers.botorch_search import BoTorchSearch

    return BoTorchSearch(space, seed)


def hebo(space: ConfigurationSpace, seed: int, evaluations: int) -> Peer:
    """HEBO."""
    from benchmarks.field.peers.hebo_search import HEBOSearch

    return HEBOSearch(space, seed)


PEERS: dict[str, Callable[[ConfigurationSpace, int, int], Peer]] = {
    "optuna_tpe": optuna_tpe,
    "optuna_gp": optuna_gp,
    "smac": smac,
    "botorch": botorch,
    "hebo": hebo,
}
