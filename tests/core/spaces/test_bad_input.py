"""Spaces, configurations and points that cannot be encoded: one clear error each."""

from __future__ import annotations

import math
import pickle
import re
import tracemalloc
import warnings

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    GreaterThanCondition,
    NotEqualsCondition,
    OrdinalHyperparameter,
)
from ConfigSpace import Float as NamedFloat

from core import Float, Integer
from core.foundation.errors import UnknownNameError, UserError
from core.spaces import CubeEncoding, as_space, describe_space


@pytest.mark.parametrize("log", ["no", 1, None])
def test_a_logarithm_is_wanted_or_not(log):
    for kind in (Float, Integer):
        with pytest.raises(UserError, match=rf"{kind.__name__}\.log is {log!r}; allowed: True or False"):
            kind(1, 9, log=log)
    assert as_space({"n": Integer(1, 9, log=np.True_)})["n"].log


def test_spaces_with_nothing_to_optimize_are_refused():
    with pytest.raises(UserError, match="space 'void' has no hyperparameters"):
        CubeEncoding(ConfigurationSpace(name="void"))
    point = ConfigurationSpace(name="point")
    point.add(Constant("a", 1), Categorical("b", ["x"]))
    with pytest.raises(UserError, match=r"single configuration, \{'a': 1, 'b': 'x'\}"):
        CubeEncoding(point)
    asleep = ConfigurationSpace(name="asleep")
    asleep.add(Constant("a", 1), NamedFloat("x", (0.0, 1.0)), NamedFloat("y", (0.0, 1.0)))
    asleep.add(NotEqualsCondition(asleep["x"], asleep["a"], 1), GreaterThanCondition(asleep["y"], asleep["x"], 0.5))
    with pytest.raises(UserError, match="space 'asleep' has no hyperparameter that is ever active"):
        CubeEncoding(asleep)


def test_what_a_constant_activates_can_be_optimized():
    space = ConfigurationSpace()
    space.add(Constant("a", 1), NamedFloat("x", (0.0, 1.0)))
    space.add(EqualsCondition(space["x"], space["a"], 1))
    assert CubeEncoding(space).decode([[0.25]]) == [{"a": 1, "x": 0.25}]


@pytest.mark.parametrize("ends", [(0, 1.5), (0.5, 2), (1, 2.0), (np.float32(0), np.float32(1)), (np.int64(0), 1.5)])
def test_a_range_with_a_float_at_either_end_is_one_of_floats(ends):
    encoding = CubeEncoding({"x": ends})
    assert encoding.levels == {}
    assert [found["x"] for found in encoding.decode([[0.0], [0.5], [1.0]])] == [ends[0], sum(ends) / 2, ends[1]]


@pytest.mark.parametrize("ends", [(0, 3), (np.int64(0), np.int64(3))])
def test_a_range_of_whole_numbers_is_one_of_integers(ends):
    assert CubeEncoding({"n": ends}).levels == {0: 4}


@pytest.mark.parametrize(
    "given, values",
    [(range(1, 5), [1, 2, 3, 4]), (range(4, 0, -1), [1, 2, 3, 4]), (range(16, 65, 16), [16, 32, 48, 64])],
)
def test_a_range_stands_for_its_integers_in_order(given, values):
    encoding = CubeEncoding({"n": given})
    points = (np.arange(4)[:, None] + 0.5) / 4
    assert [found["n"] for found in encoding.decode(points)] == values


@pytest.mark.parametrize("given", [range(2**53), range(0, 2**50, 3), range(5, -(2**40), -7)], ids=str)
def test_a_range_costs_nothing_whatever_its_length(given):
    tracemalloc.start()
    space = as_space({"n": given})
    encoding = CubeEncoding(space)
    found = encoding.decode(encoding.sample(50, np.random.default_rng(0)))
    np.testing.assert_array_equal(encoding.decode(encoding.encode(found)), found)
    assert all(type(each["n"]) is int and each["n"] in given for each in found)
    ends = [each["n"] for each in encoding.decode([[0.0], [1.0]])]
    assert ends == sorted([given[0], given[-1]])
    assert len(str(describe_space(space))) < 200 and pickle.loads(pickle.dumps(space)) == space
    assert tracemalloc.get_traced_memory()[1] < 2**20, "bytes"
    tracemalloc.stop()
    for wrong in (given[0] + 0.5, given[-1] + given.step, "5", None, math.nan):
        with pytest.raises(UserError, match=r"n = .* is not allowed"):
            encoding.encode([{"n": wrong}])
    np.testing.assert_array_equal(*(encoding.encode([{"n": kind(given[1])}]) for kind in (int, np.int64)))


def test_steps_are_an_ordinal_hyperparameter_of_configspace_s():
    ours, theirs = as_space({"n": range(16, 81, 16)})["n"], OrdinalHyperparameter("n", [16, 32, 48, 64, 80])
    assert isinstance(ours, OrdinalHyperparameter) and str(ours) == str(theirs)
    vectors = np.arange(5.0)
    np.testing.assert_array_equal(ours.to_vector(np.array([16, 32, 48, 64, 80])), vectors)
    np.testing.assert_array_equal(ours.to_value(vectors), theirs.to_value(vectors))
    assert ours.legal_value(48) and not ours.legal_value(50) and not ours.legal_value("48")
    np.testing.assert_array_equal(ours.legal_value(np.array([16, 17])), [True, False])
    space = ConfigurationSpace()
    space.add(ours, NamedFloat("x", (0.0, 1.0)))
    space.add(GreaterThanCondition(space["x"], space["n"], 32))
    found = CubeEncoding(space).decode([[(i + 0.5) / 5, 0.5] for i in range(5)])
    assert ["x" in each for each in found] == [False, False, True, True, True]
    assert all(space.sample_configuration()["n"] in ours.sequence for _ in range(20))


def test_a_list_of_many_choices_is_looked_up_once_each():
    class Counted(str):
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Counted.compared += 1
            return str.__eq__(self, other)

    choices = [Counted(f"choice {i}") for i in range(1000)]
    encoding = CubeEncoding({"k": choices, "x": (0.0, 1.0)})
    points = encoding.sample(500, np.random.default_rng(0))
    found = encoding.decode(points)
    encoding.encode(found)
    before = Counted.compared
    encoding.encode(found)
    assert Counted.compared - before <= 2 * 500
    with pytest.raises(UserError, match=r"k = 'no' is not allowed; allowed: 'choice 0', .* and 990 more$"):
        encoding.encode([{"k": "no", "x": 0.5}])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (range(2**60), r"n' is range\(0, 1152.*; allowed: integers from -2\*\*53 to 2\*\*53"),
        (range(0, 2**70, 2), "allowed: integers from"),
        ((0, 2**64), "allowed: integers from"),
        (("log", 1, 2**64), "allowed: integers from"),
        (Integer(-(2**64), 5), "allowed: integers from"),
        ([True, "x", 1], "its choices True and 1 are equal; allowed"),
        ([math.nan, 1.0], "its first choice is nan"),
        (
            [np.zeros(2), np.ones(2)],
            r"its choice array\(\[0\., 0\.\]\) is an array, which equals no other; write lists",
        ),
        (["log", 1e-3, 1.0], r"a list is choices; a range of logarithms is the tuple \('log', 0\.001, 1\.0\); allowed"),
        (range(5, 6), "it has fewer than two numbers; allowed"),
        ((3, 3), "its low end is not below the high one; allowed"),
        (("log", 0.0, 1.0), "a range of logarithms begins above 0; allowed"),
        ((-1e308, 1e308), "its width is no finite number; allowed"),
        ((0.0, math.inf), "its width is no finite number; allowed"),
        (("a", "b"), "a tuple is a range of two numbers; for choices write a list; allowed"),
        ((True, False), "a tuple is a range of two numbers; for choices write a list; allowed"),
        ((1 + 2j, 3), "a tuple is a range of two numbers; for choices write a list; allowed"),
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_is_refused_for_that_reason(given, message):
    with warnings.catch_warnings(action="error"), pytest.raises(UserError, match=message):
        CubeEncoding({"n": given})


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "int64"])
@pytest.mark.parametrize("log", [(), ("log",)])
def test_ends_may_be_arrays_and_tensors_without_dimensions(kind, log):
    """They are no numbers to Python, so ConfigSpace takes any of them for integers."""
    import torch

    low, high = torch.tensor(1.0).to(getattr(torch, kind)), torch.tensor(4.0).to(getattr(torch, kind))
    ends = [(low, high), (low, 4 if kind == "int64" else 4.0)]
    ends += [] if kind == "bfloat16" else [(np.array(1.0).astype(kind), np.array(4.0).astype(kind))]
    plain = (1, 4) if kind == "int64" else (1.0, 4.0)
    for each in ends:
        assert CubeEncoding({"x": (*log, *each)}).space == CubeEncoding({"x": (*log, *plain)}).space
    assert CubeEncoding({"x": (0.0, 1.0), "c": low}).space["c"].value == plain[0]


@pytest.mark.parametrize(
    ("given", "inside", "outside"),
    [
        (Float(1e-12, 1.0, log=True), [1e-12 * (1 - 1e-9), 1 + 1e-9], [0.0, 9e-13, 1e-12 * (1 - 1e-7), 1 + 1e-7]),
        (Float(1e-3, 1e6, log=True), [1e-3 * (1 - 1e-9), 1e6 * (1 + 1e-9)], [0.0, -1e-4, 9e-4, 1e6 + 1]),
        (Float(-1e6, 1e6), [-1e6 - 1e-3, 1e6 + 1e-3], [-1e6 - 0.1, 1e6 + 0.1]),
        (Integer(1, 9), [1, 9.0], [1 - 1e-12, 9 + 1e-9]),
    ],
    ids=str,
)
def test_what_left_a_range_by_rounding_is_legal_on_the_scale_that_is_searched(given, inside, outside):
    encoding = CubeEncoding({"x": given})
    for value in inside:
        assert given.low <= encoding.checked([{"x": value}])[0]["x"] <= given.high
    for value in outside:
        with pytest.raises(UserError, match=r"x = .* is not allowed; allowed: (float|integer) from"):
            encoding.encode([{"x": value}])


@pytest.mark.parametrize(
    "given, middle, levels",
    [
        (("log", 1e-4, 1.0), 1e-2, None),
        (("log", 1e-4, 1), 1e-2, None),
        (Float(1e-4, 1e0, log=True), 1e-2, None),
        (Float(2, 4), 3.0, None),
        (("log", 1, 100), 7, 100),
        (Integer(1, 100, log=True), 7, 100),
        (Integer(1, 9, default=2), 5, 9),
        (NamedFloat("x", (1e-4, 1.0), log=True), 1e-2, None),
    ],
)
def test_ranges_on_a_logarithmic_scale(given, middle, levels):
    encoding = CubeEncoding({"x": given})
    [found] = encoding.decode([[0.5]])
    assert found["x"] == pytest.approx(middle, rel=1e-9)
    assert encoding.columns[0].size == levels


@pytest.mark.parametrize(
    "given",
    [
        ("log", 0.0, 1.0),
        ("log", 1.0),
        ("log", 2, 1),
        ("log", "a", 1),
        Float(3, 1),
        Float(0, 1, log=True),
        Float(1, 2, default=5),
        Integer(1.5, 3),
        NamedFloat("y", (0.0, 1.0)),
    ],
    ids=str,
)
def test_what_is_no_range_is_refused(given):
    with pytest.raises(UserError, match=r"^space: 'x' is .*; allowed: "):
        CubeEncoding({"x": given})


@pytest.mark.parametrize(
    "given, hint",
    [
        ({"low": 0, "high": 1}, "a dictionary within the dictionary; write its entries side by side"),
        ({"b", "a"}, "a set, which has no order; write a list; allowed"),
        (range(1, 2), "allowed: "),
        (None, "allowed: "),
        (np.arange(3), "allowed: "),
        (iter([1, 2]), "allowed: "),
    ],
    ids=["dictionary", "set", "range", "none", "array", "iterator"],
)
def test_what_would_be_taken_for_a_constant_is_refused(given, hint):
    with pytest.raises(UserError, match=rf"^space: 'n' is .*; {re.escape(hint)}"):
        CubeEncoding({"x": (0.0, 1.0), "n": given})


@pytest.mark.parametrize(
    ("configuration", "error", "message"),
    [
        ({"kind": "tree"}, UserError, r"kind = 'tree' is not allowed; allowed: 'svm', 'net', 'none'"),
        ({"kind": "net", "width": 10}, UserError, r"width = 10 is not allowed; allowed: integer from 1 to 9"),
        ({"kind": "net", "width": 2.5}, UserError, r"width = 2.5 is not allowed"),
        ({"kind": "net", "width": "wide"}, UserError, r"width = 'wide' is not allowed"),
        ({"kind": "net", "width": "5.0"}, UserError, r"width = '5.0' is not allowed; allowed: integer from 1 to 9"),
        ({"kind": "net", "width": True}, UserError, r"width = True is not allowed"),
        ({"kind": "net", "width": 10**400}, UserError, r"width = 1000.* is not allowed"),
        ({"kind": "svm", "gamma": "0.5", "seed": 7}, UserError, r"gamma = '0.5' is not allowed; allowed: float from"),
        ({"kind": "svm", "gamma": False, "seed": 7}, UserError, r"gamma = False is not allowed"),
        (
            {"kind": "svm", "gamma": math.nan, "seed": 7},
            UserError,
            r"gamma = nan is not allowed; allowed: float from 0.0",
        ),
        ({"kind": "net"}, UserError, r"configuration 0: 'width' is missing"),
        ({"kind": "none", "gamma": 0.1}, UserError, r"configuration 0: 'gamma' is inactive"),
        ({"kind": "none", "gama": 0.1}, UnknownNameError, r"unknown hyperparameter 'gama'; did you mean 'gamma'"),
    ],
)
def test_bad_configurations(conditional, configuration, error, message):
    with pytest.raises(error, match=message):
        CubeEncoding(conditional).encode([configuration])


def test_bad_points_and_no_points(conditional):
    encoding = CubeEncoding(conditional)
    with pytest.raises(UserError, match=r"points of shape \(2, 2\); allowed: \(n, 3\)"):
        encoding.decode(np.zeros((2, 2)))
    for value in (1.01, -0.01, math.nan, math.inf):
        with pytest.raises(UserError, match=r"point 1 has .* allowed: 0 to 1"):
            encoding.decode([[0.0, 0.0, 0.0], [0.0, value, 0.0]])
    assert encoding.decode(np.empty((0, 3))) == []
    assert encoding.encode([]).shape == (0, 3)


def test_numbers_of_numpy_are_numbers(conditional):
    encoding = CubeEncoding(conditional)
    plain = encoding.encode([{"kind": "net", "width": 5}, {"kind": "svm", "gamma": 0.25, "seed": 7}])
    for whole, real in ((np.int64(5), np.float32(0.25)), (np.float64(5.0), np.float64(0.25))):
        found = encoding.encode([{"kind": "net", "width": whole}, {"kind": "svm", "gamma": real, "seed": 7}])
        np.testing.assert_array_equal(found, plain)
