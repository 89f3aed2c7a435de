"""Settings of Bayesian optimization that learns from earlier tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from core.foundation.strict import AddedLater
from core.study.methods.bayesian import ChainSettings
from core.study.methods.model_based import Device, ModelSettings

if TYPE_CHECKING:
    from core.models.ablr import ABLR
    from core.models.tasks import Fourier, Network, Task
    from core.optimizers.model_based import Fittable

Scaling = Literal["joint", "task"]  # of targets, see `core.models.tasks`


class ABLRSettings(ModelSettings):
    """ABLR: a Bayesian linear regression for every task, on a representation that they share.

    Attributes:
        representation: Representation: "network", or "fourier" for random Fourier features.
        widths: Widths of the network's hidden layers.
        features: Number of random Fourier features.
        iterations: Maximum number of steps of L-BFGS-B in a fit.
    """

    learns_from_tasks: ClassVar[bool] = True

    method: Literal["ablr"] = "ablr"
    representation: Literal["network", "fourier"] = "network"
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    features: PositiveInt = 100
    iterations: PositiveInt = 100

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> ABLR:
        """The model, which does not depend on n."""
        from core.models.ablr import ABLR

        return ABLR(earlier, representation=self.basis, iterations=self.iterations, device=device)

    @property
    def basis(self) -> Network | Fourier:
        """The features of a point."""
        from core.models.tasks import Fourier, Network

        return Network(self.widths) if self.representation == "network" else Fourier(self.features)


MOST_FREE = 6  # tasks whose covariance is free: of 13 tasks a fit would take three times as long as with rank 1


class MultiTaskGPSettings(ModelSettings):
    """A Gaussian process with a covariance of tasks; without earlier tasks it is the same as "gp_mcmc".

    Attributes:
        scaling: Whether the losses of all tasks are standardized together ("joint"), or those of each task separately
            ("task").
        rank: Rank of the covariance of tasks beside its diagonal. With None the covariance of up to six tasks, that at
            hand included, is free, and that of more has rank 1, since all its entries are sampled.
        hyperparameter_samples: Number of chains of the slice sampler, each of which gives one sample.
        burn_in: Number of sweeps of a chain before its sample.
        warm_burn_in: Number of sweeps before the sample of a chain that continues from the last suggestion; None starts
            new chains every time.
    """

    learns_from_tasks: ClassVar[bool] = True
    initial_with_earlier: ClassVar[int] = 1

    method: Literal["mt_gp"] = "mt_gp"
    scaling: Scaling = "task"
    rank: Annotated[PositiveInt | None, AddedLater(None)] = None
    hyperparameter_samples: PositiveInt = 10
    burn_in: PositiveInt = 15
    warm_burn_in: NonNegativeInt | None = 5

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> Fittable:
        """The Gaussian process, which does not depend on n."""
        from core.models.gaussian_process import MarginalisedGP
        from core.models.multitask_gp import MultiTaskGP

        if not earlier:
            return MarginalisedGP(chains=self.hyperparameter_samples, burn_in=self.burn_in, device=device)
        return MultiTaskGP(
            earlier,
            scaling=self.scaling,
            rank=self.rank or (None if len(earlier) < MOST_FREE else 1),
            chains=self.hyperparameter_samples,
            burn_in=self.burn_in,
            warm_burn_in=self.warm_burn_in or 0,
            device=device,
        )

    def _continues(self, **given: Any) -> bool:
        return super()._continues() and bool(given)


class MultiTaskBohamiannSettings(ChainSettings):
    """BOHAMIANN with learned features of every task; without earlier tasks it is the same as "bohamiann".

    Attributes:
        features: Number of features of a task.
        scaling: Standardization of the losses, as for "mt_gp".
        warm_burn_in: Always None: chains cannot be continued and burn in from scratch.
    """

    learns_from_tasks: ClassVar[bool] = True

    method: Literal["mt_bohamiann"] = "mt_bohamiann"
    features: PositiveInt = 5
    scaling: Scaling = "task"
    warm_burn_in: None = None

    def model(self, n: int, device: Device = "cpu", earlier: Sequence[Task] = ()) -> Fittable:
        """The network, with chains whose burn-in grows with the observations of all tasks."""
        from core.models.multitask_bohamiann import MultiTaskNetwork

        if not earlier:
            return self.network(n, device)
        settings = self.chain_settings(n + sum(task.X.shape[1] for task in earlier))
        return MultiTaskNetwork(earlier, features=self.features, scaling=self.scaling, device=device, **settings)
