"""Settings that are checked strictly, one line for what is wrong with them, and settings that results are recorded with
and identified by, with how these may grow. Imports neither torch nor pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from core.foundation.errors import brief, nearest
from core.foundation.validation import is_flag

NO_LIST = ("tuple_type", "list_type", "set_type", "frozen_set_type")
"""pydantic's types of errors about a single value where there must be several."""

OpenShare = Annotated[float, Field(gt=0, lt=1)]
"""A share that is neither nothing nor all."""


class Strict(BaseModel):
    """A model that refuses unknown keys, nan, infinity, booleans for numbers and all else for booleans.

    It can be hashed by its JSON.

    Attributes:
        no_numbers: types that a number is not converted from, and their names in words.
    """

    no_numbers: ClassVar[dict[type, str]] = {bool: "a boolean"}

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, value: Any) -> Any:
        for key in value if isinstance(value, dict) else ():
            if key not in cls.model_fields:
                hint = cls._hint(key, value)
                raise PydanticCustomError("unknown_key", "unknown key; {hint}", {"key": key, "hint": hint})
        return value

    @classmethod
    def _hint(cls, key: str, value: dict[str, Any]) -> str:
        """What is said of an unknown key of `value`."""
        return nearest(key, cls.model_fields, f"{cls.__name__} in {cls.__module__}")

    @field_validator("*", mode="before")
    @classmethod
    def _is_of_its_kind(cls, value: Any, info: ValidationInfo) -> Any:
        kinds = _kinds(cls.model_fields[info.field_name].annotation) if info.field_name else set()
        flag = is_flag(value)
        value = bool(value) if flag else value  # of NumPy
        words = next((words for kind, words in cls.no_numbers.items() if isinstance(value, kind)), "")
        if words and kinds != {NoneType} and kinds <= {int, float, NoneType}:
            raise ValueError(f"Input should be a number, not {words}")
        if kinds == {bool} and not flag:
            raise ValueError("Input should be true or false")
        return value


def _kinds(annotation: Any) -> set[Any]:
    """The types of a field, which may be one of several."""
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return {get_args(member)[0] if get_origin(member) is Annotated else member for member in members}


def explain(error: ValidationError, place: Callable[[Sequence[str]], str] = lambda keys: "") -> str:
    """One line for all findings of a pydantic error: key, value, and what is allowed.

    Args:
        place: maps a finding's keys, from the outermost (none if it concerns the whole), to what is written before it.
    """
    lines = []
    for item in error.errors():
        if item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]:
            continue  # pydantic counts only the members that it accepts, and reports the others themselves
        keys = [_key(part) for part in item["loc"] if not str(part).startswith("<")]
        value = "" if item["type"] == "missing" or isinstance(item["input"], dict) else f" = {brief(item['input'])}"
        if item["type"] == "unknown_key":
            keys.append(_key(item["ctx"]["key"]))
            value = f" = {brief(item['input'][item['ctx']['key']])}"
        where = place(keys) + ".".join(keys)
        lines.append(f"{where.rstrip('. ')}{value}: {_described(item)}".removeprefix(": "))
    return "; ".join(lines)


def _key(part: object) -> str:
    """A key as it is written, in quotes if that would break the line."""
    text = str(part)
    return text if text.isprintable() else repr(text)


def _described(item: ErrorDetails) -> str:
    """What is allowed. YAML and the command line have lists where Python has tuples and sets."""
    if item["type"] not in NO_LIST:
        return item["msg"].removeprefix("Value error, ")
    example = f"[{item['input']}]" if isinstance(item["input"], (int, float)) else "[1, 2]"
    return f"Input should be a list in brackets, such as {example}"


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
