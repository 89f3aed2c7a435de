"""What docstrings say of arguments and attributes."""

from __future__ import annotations

from docs.pages.described import entries, one_by_one

DOCSTRING = """A thing.

    Attributes:
        first: One,
            on two lines; see: there.
        second, third: Shared.

    Returns:
        fourth: not an argument.

    Args:
        first: Comes too late.
        fifth: Last.
    """


def test_entries_are_one_line_each_and_the_first_counts():
    assert entries(DOCSTRING) == {
        "first": "One, on two lines; see: there.",
        "second": "Shared.",
        "third": "Shared.",
        "fifth": "Last.",
    }


def test_shared_entries_are_split_and_nothing_else_changes():
    wanted = DOCSTRING.replace("second, third: Shared.", "second: Shared.\n        third: Shared.")
    assert one_by_one(DOCSTRING).split() == wanted.split()
    assert "\n    second: Shared.\n    third: Shared.\n" in one_by_one(DOCSTRING)


def test_no_docstring_has_no_entries():
    assert entries("") == {} and entries("Args: are named elsewhere.") == {}
