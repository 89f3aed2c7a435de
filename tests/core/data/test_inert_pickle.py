"""Nothing in a pickle is run, whatever it names, and what is admitted comes out as it went in."""

import os
import pickle
import types

import numpy as np
import pytest

from core.data import CorruptDataError
from core.data.inert_pickle import Inert, read_pickle


class Hostile:
    """Would create a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_hostile_pickle_does_nothing(tmp_path, protocol):
    content = pickle.dumps({"a": [Hostile(tmp_path / "made")]}, protocol)
    stand_in = read_pickle(content)["a"][0]
    assert not (tmp_path / "made").exists()
    assert isinstance(stand_in, Inert) and stand_in.arguments == (str(tmp_path / "made"),)
    assert stand_in.name.endswith("mkdir")
    pickle.loads(content)  # Python's own reader runs it: the file is what it is said to be
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"cbuiltins\neval\n(S'1+1'\ntR.",
        b"cbuiltins\ngetattr\n(cbuiltins\n__import__\n(S'os'\ntRS'getcwd'\ntR)R.",
        b"cnumpy\ndtype.__init__.__globals__\n(S'os'\ntR.",
    ],
)
def test_calls_of_calls_are_stand_ins(content):
    """What is called is a stand-in; one that was made already cannot be called, which is as good."""
    try:
        found = read_pickle(content)
    except CorruptDataError as error:
        found = error
    assert isinstance(found, Inert | CorruptDataError)


def test_containers_and_numbers_are_what_they_were():
    content = {"000": [0.1, 2, True, None], "text": ("a", b"b", {1, 2}), "deep": [[{"x": -1.5e300}]]}
    assert read_pickle(pickle.dumps(content)) == content


@pytest.mark.parametrize("protocol", range(2, 5))
@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12, dtype=">i4").reshape(3, 4)),
        np.array([(1, 0.5), (2, np.inf)], dtype=[("left", "<i8"), ("threshold", "<f8")]),
        np.array(["a", "bcd"]),
    ],
)
def test_arrays_are_what_they_were(array, protocol):
    shared = read_pickle(pickle.dumps([array, (array, array[:1])], protocol))
    for found, expected in ((shared[0], array), (shared[1][0], array), (shared[1][1], array[:1])):
        assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_keys_may_be_tuples():
    keys = {("a", (1, 2)): 1, frozenset([(3, 4)]): 2, ((1,), (2,)): {"x": ()}}
    assert read_pickle(pickle.dumps(keys)) == keys


def test_numbers_of_numpy_are_numbers():
    assert read_pickle(pickle.dumps([np.float64(0.1), np.int64(3)])) == [0.1, 3]


def test_an_object_has_its_state():
    found = read_pickle(pickle.dumps(types.SimpleNamespace(trees=[1, np.ones(2)])))
    assert found.name == "types.SimpleNamespace" and found.state["trees"][1].tolist() == [1, 1]


def test_a_value_in_itself_is_read():
    circular = [1]
    circular.append(circular)
    found = read_pickle(pickle.dumps(circular))
    assert found[0] == 1 and found[1] is found


def test_values_of_values_take_no_time():
    """Forty pairs, each of the one before: 2^40 values if each were read where it occurs."""
    nested = (1, 2)
    for _ in range(40):
        nested = (nested, nested)
    assert read_pickle(pickle.dumps(nested))[0][1] is not None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps([1.0] * 100)[:50], "truncated"),
        (b"", "truncated"),
        (b"<html>not found</html>", "not a pickle"),
        (pickle.dumps(np.array([Hostile("x"), None], dtype=object)), "whose bytes are not stored"),
        (b"\x80\x02]r\xff\xff\xff\x7f.", "of 9 bytes that remembers 2,147,483,647 values"),
        (b"\x80\x04})" + b"\x85" * 300_000 + b"K\x01s.", "a key of more than 1,000 tuples"),  # Python itself crashes
        (b"\x80\x04}()" + b"\x85" * 300_000 + b"K\x01u.", "a key of more than 1,000 tuples"),
        (b"\x80\x04()" + b"\x85" * 300_000 + b"\x91.", "a key of more than 1,000 tuples"),
        (b"\x80\x04})" + b"2\x86" * 60 + b"K\x01s.", "a key of more than 1,000 tuples"),  # its hash would not end
        (b"\x80\x04" + b"]" * 20_000 + b"a" * 19_999 + b".", "not admitted .RecursionError"),
        (b"\x80\x04)" + b"\x85" * 20_000 + b".", "not admitted .RecursionError"),
        (b"\x80\x04\x8e" + b"\0\0\0\0\0\1\0\0x.", "expected 1099511627776 bytes"),
        (b"\x80\x02Pnumber\n.", "not in it"),
        (b"\x80\x05]\x97.", "not admitted"),
        (b"\x80\x02]}(U\x06appendU\x01xub.", "not admitted"),  # a state for a list
    ],
)
def test_what_is_not_admitted_is_refused(content, message):
    with pytest.raises(CorruptDataError, match=message):
        read_pickle(content)
