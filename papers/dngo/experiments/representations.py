"""DNGO on another network than its own: features by evidence maximisation, and the architectures that are searched."""

from __future__ import annotations

from typing import Any

from core.models.dngo import DNGO
from core.models.representation import Representation


def dngo_on(representation: Representation, **settings: Any) -> DNGO:
    """DNGO whose regression stands on `representation`; settings are DNGO's, those of its own network apart."""
    model = DNGO(representation.widths, **settings)
    model.representation = representation
    return model
