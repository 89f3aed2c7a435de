"""The posterior of `chains` networks, which the engines sample, and the protocol of an engine: the chains of a fit."""

from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from torch import Tensor

from core.models.network import ChainNetwork
from core.models.priors import LogNormalNoise

NetworkT = TypeVar("NetworkT", bound=ChainNetwork, covariant=True)


@dataclass(frozen=True)
class Problem(Generic[NetworkT]):
    """The posterior over theta = (weights and biases, s = log sigma^2) given R data sets.

    Attributes:
        X, y: Standardized inputs (R, N, d) and targets (R, N), in the floating-point type of the sampling.
        chains_per_run: Number k of chains per run; chains r k ... r k + k - 1 belong to run r.
        batch_size: Number of points per minibatch; every step uses all points if N is not larger.
        covered: Mask (P_w,), 1 where the weight prior applies.
        mean: Mean of y, "linear" for the network's output or "sigmoid" for its sigmoid.
        weight: Weight of each point in the likelihood: 1/H if the data have H copies of every observation.
    """

    network: NetworkT
    X: Tensor
    y: Tensor
    chains_per_run: int
    batch_size: int
    covered: Tensor
    noise_prior: LogNormalNoise
    mean: str = field(default="linear", kw_only=True)
    weight: float = field(default=1.0, kw_only=True)

    @property
    def chains(self) -> int:
        """R k."""
        return len(self.X) * self.chains_per_run

    @property
    def points(self) -> int:
        """N."""
        return self.X.shape[1]

    @property
    def batch(self) -> int:
        """Points per step: B, or N if N <= B."""
        return min(self.batch_size, self.points)


class Engine(Protocol):
    """Chains of one fit, moved by whole blocks of steps."""

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""

    def freeze(self) -> None:
        """End the burn-in."""

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1); a copy or a view that the next `advance` may overwrite."""

    def state(self) -> Any:
        """The sampler's state, with the same caution."""
