"""What is said of settings that pydantic refuses."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field, PositiveFloat, ValidationError

from core.strict import Strict, explain


class Grid(Strict):
    steps: Annotated[tuple[PositiveFloat, ...], Field(min_length=2)] = (0.1, 0.2)
    names: list[str] = Field(default_factory=list)


@pytest.mark.parametrize(
    "given, told",
    [
        ({"steps": [1, -1]}, "steps.1 = -1: Input should be greater than 0"),
        ({"steps": [1]}, "steps = [1]: Tuple should have at least 2 items after validation, not 1"),
        ({"steps": 0.1}, "steps = 0.1: Input should be a list in brackets, such as [0.1]"),
        ({"steps": "foo"}, "steps = 'foo': Input should be a list in brackets, such as [1, 2]"),
        ({"names": {"a": 1}}, "names: Input should be a list in brackets, such as [1, 2]"),
    ],
)
def test_one_error_that_is_true(given: dict[str, Any], told: str):
    with pytest.raises(ValidationError) as refused:
        Grid(**given)
    assert explain(refused.value) == told


def test_a_key_that_would_break_the_line_is_in_quotes():
    class Notes(Strict):
        notes: dict[str, str]

    with pytest.raises(ValidationError) as refused:
        Notes(notes={"\n": None})
    assert explain(refused.value) == "notes.'\\n' = None: Input should be a valid string"
