"""The base of an experiment's settings. Imports neither torch nor pandas, since the Snakefile reads settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from core.strict import Strict


@dataclass(frozen=True)
class AddedLater:
    """Marks a setting that is younger than shipped runs, `Annotated[bool, AddedLater()] = True`.

    Its default is what those ran, and stays out of what is recorded and hashed, so that they remain valid.
    """


class Settings(Strict):
    """Base of every experiment's settings; each experiment subclasses it in its paper's settings.py."""

    @model_serializer(mode="wrap")
    def _without_later_defaults(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        later = {name: field.default for name, field in fields.items() if AddedLater() in field.metadata}
        return {
            name: value for name, value in dump(self).items() if name not in later or later[name] != getattr(self, name)
        }
