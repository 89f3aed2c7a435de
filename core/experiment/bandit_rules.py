"""Settings of searches with Hyperband and BOHB: constants, and rules of the authors' code (HpBandSter) beyond the text.

Does not import torch.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import PositiveFloat, PositiveInt

from core.experiment.settings import AddedLater, Settings
from core.study.settings import Eta, Share


class BanditRules(Settings):
    """Base of the settings of searches with Hyperband and BOHB; all rules are those of the text by default.

    Attributes:
        disjoint, redraw_choices: of BOHB, see `core.optimizers.bohb.BOHB`.
        oldest_first, floored_sizes: of Hyperband and BOHB, see `core.optimizers.hyperband`.
    """

    disjoint: Annotated[bool, AddedLater()] = False
    oldest_first: Annotated[bool, AddedLater()] = False
    floored_sizes: Annotated[bool, AddedLater()] = False
    redraw_choices: Annotated[bool, AddedLater()] = False


RULES = tuple(BanditRules.model_fields)


class BanditSearch(BanditRules):
    """Base of the settings of searches whose constants vary; the defaults are BOHB's by thesis D.3.

    Attributes:
        eta: of Hyperband and BOHB.
        random_fraction, samples, bandwidth_factor: of BOHB; SMAC has random_fraction, too.
    """

    eta: Eta = 3
    random_fraction: Share = 1 / 3
    samples: PositiveInt = 64
    bandwidth_factor: PositiveFloat = 3
