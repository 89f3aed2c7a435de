"""Where the authors' code of BOHB (HpBandSter) departs from the text, as settings. Does not import torch."""

from __future__ import annotations

from typing import Annotated

from core.experiment.settings import AddedLater, Settings


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
