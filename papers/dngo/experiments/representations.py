"""DNGO on other networks than its own: features by evidence maximization, and the architectures that are searched."""

from __future__ import annotations

from typing import Any

from core.models.dngo import DNGO
from core.models.representation import Representation


def dngo_on(representation: Representation, **settings: Any) -> DNGO:
    """DNGO with its regression on `representation`; settings are DNGO's, except those of its own network."""
    model = DNGO(widths=representation.widths, **settings)
    model.representation = representation
    return model
