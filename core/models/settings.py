"""Checks of the settings of models: one line that names the setting, its value and what is allowed."""

import math


def check_counts(owner: str, **settings: int) -> None:
    """Raise ValueError for a setting that is not a whole number of at least 1."""
    for name, value in settings.items():
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{owner}.{name}: must be a whole number from 1, got {value!r}")


def check_positive(owner: str, **settings: float) -> None:
    """Raise ValueError for a setting that is not a positive finite number."""
    for name, value in settings.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{owner}.{name}: must be positive and finite, got {value!r}")
