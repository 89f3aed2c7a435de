"""Settings of the methods that evaluate many configurations on small budgets and continue with the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from core.foundation.strict import OpenShare
from core.study.methods.settings import Budgets, Eta, MethodSettings, Share, numpy_generator

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.optimizers.base import Optimizer


class SuccessiveHalvingSettings(MethodSettings):
    """Successive halving: `core.optimizers.hyperband`; bracket follows bracket if `brackets` is None."""

    needs_budgets: ClassVar[bool] = True

    method: Literal["successive_halving"] = "successive_halving"
    eta: Eta = 3
    brackets: PositiveInt | None = None
    configurations: PositiveInt | None = None

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.hyperband import SuccessiveHalving

        return SuccessiveHalving(space, numpy_generator(seed), *self.required_budgets(budgets), **self.own)


class HyperbandSettings(MethodSettings):
    """Hyperband: `core.optimizers.hyperband`; it ends after `brackets` brackets, or never if None."""

    needs_budgets: ClassVar[bool] = True

    method: Literal["hyperband"] = "hyperband"
    eta: Eta = 3
    brackets: PositiveInt | None = None
    oldest_first: bool = False
    floored_sizes: bool = False

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.hyperband import Hyperband

        return Hyperband(space, numpy_generator(seed), *self.required_budgets(budgets), **self.own)


class BOHBSettings(MethodSettings):
    """BOHB: `core.optimizers.bohb`."""

    needs_budgets: ClassVar[bool] = True

    method: Literal["bohb"] = "bohb"
    eta: Eta = 3
    brackets: PositiveInt | None = None
    random_fraction: Share = 1 / 3
    good_fraction: OpenShare = 0.15
    samples: PositiveInt = 64
    bandwidth_factor: PositiveFloat = 3
    categorical_factor: PositiveFloat = 1
    minimum_bandwidth: PositiveFloat = 1e-3
    minimum_points: PositiveInt | None = None
    disjoint: bool = False
    oldest_first: bool = False
    floored_sizes: bool = False
    redraw_choices: bool = False

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.bohb import BOHB

        return BOHB(space, numpy_generator(seed), *self.required_budgets(budgets), **self.own)


class HyperbandLCNetSettings(MethodSettings):
    """Hyperband with LC-Net, for objectives that return learning curves: `core.optimizers.hyperband_lcnet`."""

    needs_budgets: ClassVar[bool] = True
    needs_curves: ClassVar[bool] = True

    method: Literal["hyperband_lcnet"] = "hyperband_lcnet"
    eta: Eta = 3
    brackets: PositiveInt | None = None
    burn_in: NonNegativeInt = 500
    chain_steps: PositiveInt = 2500
    samples: PositiveInt = 100
    floored_sizes: bool = False

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.hyperband_lcnet import HyperbandLCNet

        return HyperbandLCNet(space, numpy_generator(seed), *self.required_budgets(budgets), **self.own)
