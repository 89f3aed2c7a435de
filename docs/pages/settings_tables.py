"""A method's settings as a table: names, defaults, what is allowed and what each is, all from its class of settings.

Descriptions come from the docstring of the class, of its bases, or of the optimizer that it builds, in this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.study.methods import MethodSettings
from docs.pages.described import entries

KINDS = {"integer": "a whole number", "number": "a number", "boolean": "True or False", "null": "None"}
LIMITS = {"exclusiveMinimum": " above", "minimum": " from", "exclusiveMaximum": ", below", "maximum": " to"}


def table(settings: MethodSettings, *builds: type) -> str:
    """The table of the settings of a method, with defaults that those of the given settings are.

    Args:
        builds: Classes that the settings build, whose docstrings say what the settings do not.
    """
    schema, said = type(settings).model_json_schema()["properties"], descriptions(type(settings), *builds)
    rows = ["| setting | default | allowed | what it is |", "| :-- | :-- | :-- | :-- |"]
    for name, value in settings.own.items():
        cells = (f"`{name}`", f"`{value!r}`", allowed(schema[name]), said.get(name, ""))
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) if settings.own else "This method has no settings."


def descriptions(*classes: type) -> dict[str, str]:
    """What the docstrings of classes and their bases say of arguments and attributes; the first that says it counts."""
    found: dict[str, str] = {}
    for kind in classes:
        for base in kind.__mro__:
            if base.__module__.startswith("core."):
                found = {**entries(base.__dict__.get("__doc__") or ""), **found}
    return found


def allowed(schema: Mapping[str, Any]) -> str:
    """The values that a field's JSON schema allows, in words."""
    if "anyOf" in schema:
        return " or ".join(sorted(map(allowed, schema["anyOf"]), key="None".__ne__))
    if "enum" in schema:
        return _or(f"`{value!r}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']!r}`"
    if schema["type"] == "array":
        return _several(schema)
    return KINDS[schema["type"]] + "".join(_limits(schema))


def _several(schema: Mapping[str, Any]) -> str:
    if each := schema.get("prefixItems"):
        return f"{len(each)} values: " + ", ".join(map(allowed, each))
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    number = f"{least} to {most} values" if most else f"{least} or more values"
    return f"{number}, each {allowed(schema['items'])}"


def _limits(schema: Mapping[str, Any]) -> list[str]:
    """The limits in the order of `LIMITS`; a whole number above 0 is one from 1."""
    if schema["type"] == "integer" and schema.get("exclusiveMinimum") is not None:
        schema = {**schema, "minimum": schema["exclusiveMinimum"] + 1, "exclusiveMinimum": None}
    return [f"{word} {schema[key]:g}" for key, word in LIMITS.items() if schema.get(key) is not None]


def _or(values: Iterable[str]) -> str:
    *others, last = values
    return f"{', '.join(others)} or {last}" if others else last
