"""The method of a cell that optimizes is one setting, and a raised friction is recorded instead of one that is not.

    python -m papers.migrations.one_method_key

Of the two keys `optimizer` and `model`, the first was "model" where the second named a model. BOHAMIANN's friction was
raised unless a cell said that it was not; what was run stays the same.
"""

from __future__ import annotations

from pathlib import Path

from core.experiment.migration import Migration, Values, migrate

FRICTION = ("bohamiann", "mt_bohamiann")


def one_key(settings: Values) -> Values:
    """The settings with the one key and the friction in today's words."""
    if "model" not in settings:
        return settings
    kept = {key: value for key, value in settings.items() if key not in ("optimizer", "model", "raise_friction")}
    optimizer = settings["optimizer"] if settings["model"] is None else settings["model"]
    raised = optimizer in FRICTION and settings.get("raise_friction", True)
    return {"optimizer": optimizer, **kept, **({"raise_friction": True} if raised else {})}


MIGRATIONS = (
    Migration("bohamiann/branin_full", one_key),
    Migration("bohamiann/sin_one_fit", one_key),
    Migration("bohamiann/synthetic*/*/*", one_key),
    Migration("bohamiann/hpolib*/*/*", one_key),
    Migration("bohamiann/warm_start", one_key),
    Migration("bohamiann/xgboost", one_key),
    Migration("bohamiann/multitask", one_key),
    Migration("dngo/hpolib*/*/*", one_key),
    Migration("tabular/bohamiann", one_key),
)

if __name__ == "__main__":
    for file in migrate(Path(), MIGRATIONS):
        print(file)
