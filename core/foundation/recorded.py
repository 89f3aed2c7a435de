"""Settings that results are recorded with and identified by, and how these may grow. Does not import torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import SerializerFunctionWrapHandler, ValidationInfo, model_serializer, model_validator

from core.foundation.strict import Strict

AS_RECORDED = {"as recorded": True}
"""The context of a validation of settings that were recorded, from which later ones are missing."""


@dataclass(frozen=True)
class AddedLater:
    """Marks a setting that is younger than shipped runs, `Annotated[bool, AddedLater(True)] = True`.

    A value of `ran` stays out of what is recorded and hashed, so that they remain valid.

    Attributes:
        ran: the value that those runs had before there was the setting; the default may be another.
    """

    ran: Any


class Recorded(Strict):
    """Base of the settings of experiments and of methods."""

    @classmethod
    def of_record(cls, recorded: Mapping[str, Any]) -> Self:
        """The settings of a record, where those that were added later have the values that it ran with.

        Raises:
            ValidationError: settings that are not valid today.
        """
        return cls.model_validate(recorded, context=AS_RECORDED)

    @classmethod
    def later(cls) -> dict[str, Any]:
        """The settings that were added later, and the values of runs from before."""
        marks = {name: field.metadata for name, field in cls.model_fields.items()}
        return {name: mark.ran for name, metadata in marks.items() for mark in metadata if isinstance(mark, AddedLater)}

    @model_validator(mode="before")
    @classmethod
    def _has_later_ones(cls, value: Any, info: ValidationInfo) -> Any:
        return {**cls.later(), **value} if info.context == AS_RECORDED and isinstance(value, Mapping) else value

    @model_serializer(mode="wrap")
    def _without_later_ones(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        later = self.later()
        return {
            name: value for name, value in dump(self).items() if name not in later or later[name] != getattr(self, name)
        }
