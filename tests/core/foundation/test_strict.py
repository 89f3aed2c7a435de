"""What is said of settings that pydantic refuses."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import Field, PositiveFloat, ValidationError

from core.foundation.strict import Strict, explain


class Grid(Strict):
    steps: Annotated[tuple[PositiveFloat, ...], Field(min_length=2)] = (0.1, 0.2)
    names: list[str] = Field(default_factory=list)
    ordered: bool = False
    count: int | None = 1


@pytest.mark.parametrize(
    "given, told",
    [
        ({"steps": [1, -1]}, "steps.1 = -1: Input should be greater than 0"),
        ({"steps": [1]}, "steps = [1]: Tuple should have at least 2 items after validation, not 1"),
        ({"steps": 0.1}, "steps = 0.1: Input should be a list in brackets, such as [0.1]"),
        ({"steps": "foo"}, "steps = 'foo': Input should be a list in brackets, such as [1, 2]"),
        ({"names": {"a": 1}}, "names: Input should be a list in brackets, such as [1, 2]"),
        ({"ordered": "no"}, "ordered = 'no': Input should be true or false"),
        ({"ordered": 1}, "ordered = 1: Input should be true or false"),
        ({"ordered": None}, "ordered = None: Input should be true or false"),
        ({"count": np.True_}, "count = np.True_: Input should be a number, not a boolean"),
    ],
)
def test_one_error_that_is_true(given: dict[str, Any], told: str):
    with pytest.raises(ValidationError) as refused:
        Grid(**given)
    assert explain(refused.value) == told


def test_booleans_of_numpy_are_some():
    assert Grid(ordered=np.True_).ordered is True and Grid(ordered=True).ordered is True


def test_a_key_that_would_break_the_line_is_in_quotes():
    class Notes(Strict):
        notes: dict[str, str]

    with pytest.raises(ValidationError) as refused:
        Notes(notes={"\n": None})
    assert explain(refused.value) == "notes.'\\n' = None: Input should be a valid string"
