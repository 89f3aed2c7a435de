"""Round trips over random spaces, and what is legal, inactive and forbidden, with ConfigSpace as the judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from ConfigSpace import (
    Beta,
    Categorical,
    Configuration,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenGreaterThanRelation,
    GreaterThanCondition,
    Integer,
    Normal,
    NotEqualsCondition,
    OrdinalHyperparameter,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.errors import UserError
from core.spaces import CubeEncoding

MAGNITUDES = st.floats(-6, 6)


@st.composite
def hyperparameters(draw: st.DrawFn, name: str):
    kind = draw(st.sampled_from(["float", "log", "integer", "log integer", "ordinal", "categorical", "constant"]))
    if kind == "float":
        low = draw(st.floats(-1e3, 1e3))
        return Float(name, (low, low + 10 ** draw(st.floats(-3, 6))))
    if kind == "log":
        exponent = draw(MAGNITUDES)
        return Float(name, (10**exponent, 10 ** (exponent + draw(st.floats(0.1, 6)))), log=True)
    if kind == "integer":
        low = draw(st.integers(-1000, 1000))
        return Integer(name, (low, low + draw(st.integers(1, 10**6))))
    if kind == "log integer":
        low = draw(st.integers(1, 1000))
        return Integer(name, (low, low + draw(st.integers(1, 10**6))), log=True)
    if kind == "constant":
        return Constant(name, draw(st.sampled_from(["only", 3])))
    size = draw(st.integers(2, 6))
    if kind == "ordinal":
        return OrdinalHyperparameter(name, [2**i for i in range(size)])
    return Categorical(name, [f"choice {i}" for i in range(size)])


@st.composite
def spaces(draw: st.DrawFn) -> ConfigurationSpace:
    """One to five hyperparameters, a switch with a float below it, and a condition below that one."""
    space = ConfigurationSpace()
    space.add(*(draw(hyperparameters(f"h{i}")) for i in range(draw(st.integers(1, 5)))))
    switch, inner = Categorical("switch", ["on", "off", "half"]), Float("inner", (-1.0, 3.0))
    space.add(switch, inner, Integer("leaf", (1, 64), log=True))
    space.add(EqualsCondition(space["inner"], space["switch"], draw(st.sampled_from(["on", "off"]))))
    space.add(GreaterThanCondition(space["leaf"], space["inner"], 0.5))
    return space


def cube(dimension: int) -> st.SearchStrategy[np.ndarray]:
    corner = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, -1e-12, 1 + 1e-12, 1 - 2**-53, 0.5]))
    return arrays.arrays(np.float64, (7, dimension), elements=corner)


@given(st.data())
def test_every_point_of_the_cube_decodes_to_a_legal_configuration(data):
    space = data.draw(spaces())
    encoding = CubeEncoding(space)
    points = data.draw(cube(encoding.dimension))
    for configuration in encoding.decode(points):
        Configuration(space, values=configuration).check_valid_configuration()


@given(st.data())
def test_round_trips(data):
    """decode . encode keeps configurations; encode . decode is `canonical`, which is idempotent."""
    encoding = CubeEncoding(data.draw(spaces()))
    points = data.draw(cube(encoding.dimension))
    configurations = encoding.decode(points)
    canonical = encoding.encode(configurations)
    assert canonical.shape == points.shape and canonical.dtype == np.float64
    assert (canonical >= 0).all() and (canonical <= 1).all()
    for before, after in zip(configurations, encoding.decode(canonical), strict=True):
        assert list(before) == list(after)
        for name, value in before.items():
            if isinstance(value, float):
                low, high = encoding.space[name].lower, encoding.space[name].upper
                assert after[name] == pytest.approx(value, rel=1e-9, abs=1e-9 * (high - low))
            else:
                assert type(after[name]) is type(value) and after[name] == value
    np.testing.assert_allclose(encoding.canonical(points), canonical, atol=1e-9)
    np.testing.assert_allclose(encoding.canonical(canonical), canonical, atol=1e-9)


@given(st.data(), st.integers(0, 2**31 - 1))
def test_configurations_that_configspace_draws_survive(data, seed):
    """ConfigSpace keeps 13 decimals, which is the tolerance of floats here."""
    space = data.draw(spaces())
    space.seed(seed)
    encoding = CubeEncoding(space)
    drawn = space.sample_configuration(5)
    for before, after in zip(drawn, encoding.decode(encoding.encode(drawn)), strict=True):
        assert dict(before).keys() == after.keys()
        for name, value in after.items():
            assert before[name] == (pytest.approx(value, rel=1e-6, abs=1e-6) if isinstance(value, float) else value)


def test_the_scales():
    space = ConfigurationSpace()
    space.add(Float("a", (-2.0, 6.0)), Float("b", (1e-4, 1.0), log=True), Integer("c", (1, 4)))
    space.add(Integer("d", (1, 100), log=True), OrdinalHyperparameter("e", [1, 10, 100]), Categorical("f", "xyzw"))
    encoding = CubeEncoding(space)
    middle = {"a": 0.0, "b": 1e-3, "c": 2, "d": 10, "e": 100, "f": "y"}
    log_integer = math.log(10 / 0.5) / math.log(100.5 / 0.5)
    np.testing.assert_allclose(encoding.encode([middle]), [[0.25, 0.25, 3 / 8, log_integer, 5 / 6, 3 / 8]])
    ends = encoding.decode([[0.0] * 6, [1.0] * 6])
    assert ends[0] == {"a": -2.0, "b": pytest.approx(1e-4, rel=1e-12), "c": 1, "d": 1, "e": 1, "f": "x"}
    assert ends[1] == {"a": 6.0, "b": pytest.approx(1.0, rel=1e-12), "c": 4, "d": 100, "e": 100, "f": "w"}
    assert space["b"].lower <= ends[0]["b"] and ends[1]["b"] <= space["b"].upper
    assert encoding.cardinalities == {5: 4}
    assert encoding.levels == {2: 4, 3: 100, 4: 3, 5: 4}
    assert [column.kind for column in encoding.columns][:3] == ["float", "float", "integer"]


def test_uniform_points_give_each_value_its_share():
    space = ConfigurationSpace()
    space.add(Integer("i", (3, 7)), Categorical("c", ["a", "b", "c"]))
    encoding = CubeEncoding(space)
    grid = (np.arange(1500) + 0.5) / 1500
    values = encoding.decode(np.stack([grid, grid], axis=1))
    places = {column.name: place for place, column in enumerate(encoding.columns)}
    assert set(places) == {"i", "c"}
    assert [sum(v["i"] == i for v in values) for i in range(3, 8)] == [300] * 5
    assert [sum(v["c"] == c for v in values) for c in "abc"] == [500] * 3


def test_inactive_hyperparameters_are_left_out_and_take_their_defaults_place(conditional):
    encoding = CubeEncoding(conditional)
    names = [column.name for column in encoding.columns]
    assert sorted(names) == ["gamma", "kind", "width"] and encoding.dimension == 3
    configurations = [
        {"kind": "net", "width": 9},
        {"kind": "none"},
        {"kind": "svm", "gamma": 0.9, "width": 1, "seed": 7},
    ]
    points = encoding.encode(configurations)
    gamma, width = names.index("gamma"), names.index("width")
    np.testing.assert_allclose(points[:2, gamma], 0.3)
    assert points[1, width] == pytest.approx(3.5 / 9)
    assert encoding.active(points)[:, [gamma, width]].tolist() == [[False, True], [False, False], [True, True]]
    assert encoding.decode(points) == [
        {**c, "gamma": pytest.approx(0.9)} if "gamma" in c else c for c in configurations
    ]
    moved = points.copy()
    moved[0, gamma] = 0.8
    np.testing.assert_array_equal(encoding.canonical(moved)[0], points[0])


def test_not_equals_and_constants():
    space = ConfigurationSpace()
    space.add(Categorical("a", [1, 2, 3]), Float("b", (0.0, 1.0)))
    space.add(NotEqualsCondition(space["b"], space["a"], 2))
    assert [set(c) for c in CubeEncoding(space).decode([[0.1, 0.5], [0.5, 0.5], [0.9, 0.5]])] == [
        {"a", "b"},
        {"a"},
        {"a", "b"},
    ]


def test_forbidden_configurations_are_refused_and_never_drawn():
    space = ConfigurationSpace(name="kernel")
    space.add(Categorical("kernel", ["linear", "rbf"]), Categorical("loss", ["hinge", "square"]))
    space.add(Integer("low", (0, 9)), Integer("high", (0, 9), default=9))
    pair = ForbiddenEqualsClause(space["kernel"], "rbf"), ForbiddenEqualsClause(space["loss"], "hinge")
    space.add(ForbiddenAndConjunction(*pair), ForbiddenGreaterThanRelation(space["low"], space["high"]))
    encoding = CubeEncoding(space)
    uniform = np.random.default_rng(0).random((2000, 4))
    allowed = encoding.allowed(uniform)
    for configuration in encoding.decode(uniform[allowed]):
        assert not (configuration["kernel"] == "rbf" and configuration["loss"] == "hinge")
        assert configuration["low"] <= configuration["high"]
    assert allowed.mean() == pytest.approx(0.75 * 0.55, abs=0.05)
    with pytest.raises(UserError, match=r"configuration 1 is forbidden by the space: .*low > .*high"):
        encoding.decode(encoding.canonical([_place(encoding, low=0.1, high=0.9), _place(encoding, low=0.9, high=0.1)]))
    with pytest.raises(UserError, match="configuration 0 is forbidden"):
        encoding.encode([{"kernel": "rbf", "loss": "hinge", "low": 1, "high": 2}])
    drawn = encoding.sample(300, np.random.default_rng(1))
    assert drawn.shape == (300, 4) and encoding.allowed(drawn).all()
    np.testing.assert_array_equal(drawn, encoding.sample(300, np.random.default_rng(1)))


def _place(encoding: CubeEncoding, **coordinates: float) -> list[float]:
    return [coordinates.get(column.name, 0.1) for column in encoding.columns]


def test_a_space_that_forbids_nearly_everything_says_so():
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1e9), default=0.0), Float("y", (0.0, 1e-6)))
    space.add(ForbiddenGreaterThanRelation(space["x"], space["y"]))
    with pytest.raises(UserError, match="the forbidden clauses allow only 0"):
        CubeEncoding(space).sample(1, np.random.default_rng(0))


def test_priors_do_not_bend_the_encoding():
    space = ConfigurationSpace()
    space.add(Float("a", (0.0, 4.0), distribution=Normal(3.0, 0.1)), Integer("b", (1, 5), distribution=Beta(2, 5)))
    space.add(Categorical("c", ["x", "y"], weights=[0.9, 0.1]))
    encoding = CubeEncoding(space)
    assert encoding.decode([[0.25, 0.5, 0.75]]) == [{"a": 1.0, "b": 3, "c": "y"}]


def test_tensors_and_single_precision_are_points_too():
    encoding = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0), "i": (1, 4)}))
    assert [column.name for column in encoding.columns] == ["i", "x"]
    assert encoding.decode(torch.tensor([[1.0, 0.5]], dtype=torch.float32)) == [{"i": 4, "x": 0.5}]
