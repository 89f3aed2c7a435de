"""Results of a function that are remembered as long as what they were made from."""

import pandas as pd
import pytest

from core.report.runs.frames import once


@pytest.fixture
def counted():
    calls = []

    @once
    def total(frame, name, *others):
        """Of a column."""
        calls.append((name, *others))
        if name not in frame:
            raise KeyError(name)
        return frame[name].sum()

    return total, calls


def test_a_frame_is_asked_once_for_each_name(counted):
    total, calls = counted
    frame = pd.DataFrame({"a": [1, 2], "b": [10, 20]})
    assert [total(frame, "a"), total(frame, "b"), total(frame, "a"), total(frame, "a", 1)] == [3, 30, 3, 3]
    assert calls == [("a",), ("b",), ("a", 1)]
    assert total.__doc__ == "Of a column."


def test_an_equal_frame_is_another_one_and_so_is_its_successor(counted):
    total, calls = counted
    for number in range(50):  # of which the later ones stand where earlier ones stood
        frame = pd.DataFrame({"a": [number]})
        assert total(frame, "a") == number
        del frame  # freed at once: nothing refers to it in a circle
    assert len(calls) == 50


def test_exceptions_are_not_remembered(counted):
    total, calls = counted
    frame = pd.DataFrame({"a": [1]})
    for _ in range(2):
        with pytest.raises(KeyError):
            total(frame, "b")
    assert len(calls) == 2
