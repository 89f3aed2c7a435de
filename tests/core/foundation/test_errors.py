"""Messages for mistyped names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.errors import LONGEST, UnknownNameError, UserError, brief, nearest

NAMES = ["boston", "concrete", "yacht"]


def test_the_nearest_name_is_suggested():
    message = str(UnknownNameError("benchmark of toy", "bostn", NAMES))
    assert message == "unknown benchmark of toy 'bostn'; did you mean 'boston'?"


def test_the_best_of_several_near_names_comes_first():
    assert nearest("sghmc_1e4", ["sghmc_1e-3", "sghmc_1e-4", "slice"]).startswith("did you mean 'sghmc_1e-4' or ")


def test_all_names_are_listed_where_none_is_near():
    assert nearest("mnist", ["power_plant", *NAMES[1:]]) == "existing: power_plant, concrete, yacht"
    assert nearest("zzz", NAMES) == "existing: boston, concrete, yacht"


@pytest.mark.parametrize("where, told", [("", ""), ("the list", ", see the list")])
def test_of_many_names_the_first_and_where_all_are(where, told):
    names = [f"a{number}" for number in range(12)]
    assert nearest("zzz", names[:10], where) == f"existing: {', '.join(names[:10])}"
    assert nearest("zzz", names, where) == f"existing: {', '.join(names[:10])} and 2 more{told}"
    assert str(UnknownNameError("name", "zzz", names, where)).endswith(f" and 2 more{told}")


def test_no_names_at_all():
    assert nearest("boston", []) == "existing: none"


@pytest.mark.parametrize("name", [3, None, 1e-5, ["boston"]])
def test_a_name_may_be_no_text(name):
    """YAML and --config give numbers and lists where a name is meant."""
    assert repr(name) in str(UnknownNameError("benchmark", name, NAMES))


def test_it_is_a_user_error_and_a_value_error():
    """The command line catches the one, pydantic the other."""
    assert issubclass(UnknownNameError, UserError)
    assert issubclass(UserError, ValueError)


@given(st.text("abc", max_size=5), st.lists(st.text("abc", min_size=1, max_size=5), unique=True, min_size=1))
def test_only_existing_names_are_suggested_and_an_equal_one_first(name, existing):
    hint = nearest(name, existing)
    suggested = re.findall(r"'([abc]+)'", hint) or re.sub(" and .*| *existing: ", "", hint).split(", ")
    assert set(suggested) <= set(existing)
    assert (suggested[0] == name) or name not in existing


class TestBrief:
    def test_short_values_are_shown_whole(self):
        assert brief({"x": 1.0}) == "{'x': 1.0}" and brief("a b") == "'a b'"

    def test_long_ones_are_cut_and_on_one_line(self):
        found = brief(list(range(1000)))
        assert found.startswith("[0, 1, 2,") and found.endswith(" ...") and len(found) == LONGEST
        assert brief(type("Lines", (), {"__repr__": lambda self: "one\n  two"})()) == "one two"

    def test_a_class_that_cannot_be_shown_is_named(self):
        class Broken:
            def __repr__(self):
                return self.missing

        assert brief(Broken()) == "<Broken>"
