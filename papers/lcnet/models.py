"""The models of learning curves that the thesis compares (section 5.4), by the names of our methods."""

from __future__ import annotations

from collections.abc import Callable

from core.models.curves.base import CurveModel
from core.models.curves.extrapolation import Extrapolation
from core.models.curves.forest import CurveForest
from core.models.curves.freeze_thaw import DecayingCurves, FreezeThaw
from core.models.curves.last_seen import LastSeenValue
from core.models.curves.lcnet import LCNet
from core.models.curves.network import CurveNetwork
from papers.lcnet.settings import Predict

MODELS: dict[str, Callable[[Predict], CurveModel]] = {
    "lcnet": lambda settings: LCNet.authors(**settings.chain),
    "lcnet_ours": lambda settings: LCNet(**settings.chain),
    "bnn": lambda settings: CurveNetwork.authors(**settings.chain),
    "forest": lambda settings: CurveForest(),
    "decaying_gp": lambda settings: DecayingCurves(),
    "freeze_thaw": lambda settings: FreezeThaw(),
    "lc_extrapolation": lambda settings: Extrapolation(burn_in=settings.sweeps // 2, thinning=settings.sweeps // 40),
    "last_seen_value": lambda settings: LastSeenValue(),
}


def make_model(method: str, settings: Predict) -> CurveModel:
    """The model of a method, not fitted."""
    return MODELS[method](settings)
