"""Tables of settings: every field of every method, its default, what is allowed and what it is."""

from __future__ import annotations

import re

import pytest

from core.foundation.errors import UserError
from core.study.methods import METHODS, DNGOSettings, method_of
from docs.pages.capabilities import Capabilities
from docs.pages.settings_tables import allowed, descriptions, shown, table

NAMES = [name for name, settings in METHODS.items() if settings.names()]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_fields_of_the_class_with_their_defaults_and_descriptions(name):
    can = Capabilities(name)
    rows = [re.split(r" (?<!\\)\| ", row.strip("| ")) for row in table(can.settings, *can.builds).splitlines()[2:]]
    assert [row[0].strip("`") for row in rows] == list(METHODS[name].names())
    assert [row[1].strip("`") for row in rows] == [
        shown(getattr(method_of(name), field)) for field in METHODS[name].names()
    ]
    assert all(len(row) == 4 and len(row[3]) > 8 and row[2] for row in rows), rows


def test_a_default_that_was_given_is_shown():
    assert "| `widths` | `(7,)` |" in table(DNGOSettings(widths=(7,)))


def test_a_method_without_settings_says_so():
    assert table(method_of("random")) == "This method has no settings."


SCHEMAS = [
    ({"type": "integer", "exclusiveMinimum": 0}, "a whole number from 1"),
    ({"type": "integer", "minimum": 4}, "a whole number from 4"),
    ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "a number from 0, below 1"),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "a number above 0 to 1"),
    ({"type": "boolean"}, "True or False"),
    ({"enum": ["a", "b", "c"]}, "`'a'`, `'b'` or `'c'`"),
    ({"const": "a"}, "`'a'`"),
    ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "None or a number"),
    ({"type": "array", "minItems": 1, "items": {"type": "number"}}, "1 or more values, each a number"),
    ({"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "number"}}, "1 to 3 values, each a number"),
    ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}]}, "2 values: a number, True or False"),
]


@pytest.mark.parametrize("schema, words", SCHEMAS, ids=[words for _, words in SCHEMAS])
def test_what_is_allowed(schema, words):
    assert allowed(schema) == words


@pytest.mark.parametrize("name", NAMES)
def test_the_least_whole_number_that_is_said_to_be_allowed_is_the_least(name):
    schema = METHODS[name].model_json_schema()["properties"]
    for field in METHODS[name].names():
        if found := re.fullmatch(r"(?:None or )?a whole number from (\d+)", allowed(schema[field])):
            least = int(found[1])
            assert "greater" not in refusal(name, field, least)  # other settings may forbid it
            assert "greater" in refusal(name, field, least - 1)


def refusal(name: str, field: str, value: int) -> str:
    """What is said against a setting; empty if it is accepted."""
    try:
        METHODS[name](method=name, **{field: value})
    except UserError as error:
        return str(error)
    return ""


def test_the_first_class_that_describes_a_setting_counts():
    class Base:
        """A base.

        Attributes:
            one: Base's.
            two: Base's.
            three: Base's, see `other`.
        """

    class Derived(Base):
        """Made of it.

        Attributes:
            one: Derived's.
            two, three: As before, see `Base` and `Other`.
        """

    Base.__module__ = Derived.__module__ = "core.made"
    assert descriptions(Derived) == {"one": "Derived's.", "two": "Base's.", "three": "Base's, see `other`."}


def test_values_are_shown_as_in_a_program():
    assert [shown(value) for value in (1 / 3, 2 / 7, 0.1, 1e-6, None, "a", (0.5, 1.0))] == [
        *("1/3", "2/7", "0.1", "1e-06", "None", "'a'", "(0.5, 1.0)")
    ]
    assert eval(shown(1 / 3)) == 1 / 3 and shown(2**0.5) == repr(2**0.5)
