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
from scipy import stats

from core.foundation.errors import UserError
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


def only(hyperparameter) -> CubeEncoding:
    space = ConfigurationSpace()
    space.add(hyperparameter)
    return CubeEncoding(space)


PRIORS = {
    "normal": (Float("x", (0.0, 4.0), distribution=Normal(3.0, 0.5)), stats.truncnorm(-6, 2, loc=3, scale=0.5)),
    "normal beyond the range": (Float("x", (0.0, 1.0), distribution=Normal(3.0, 0.5)), stats.truncnorm(-6, -4, 3, 0.5)),
    "beta": (Float("x", (1.0, 3.0), distribution=Beta(2, 5)), stats.beta(2, 5, loc=1, scale=2)),
    # ConfigSpace's deviation on a logarithmic scale is |log(low + sigma)| over the length of the logarithmic range.
    "log normal": (
        Float("x", (0.01, 1.0), distribution=Normal(0.1, 0.09), log=True),
        stats.truncnorm(-1, 1, loc=math.log(0.1), scale=math.log(10)),
    ),
    "log beta": (
        Float("x", (0.01, 1.0), distribution=Beta(3, 2), log=True),
        stats.beta(3, 2, loc=math.log(0.01), scale=math.log(100)),
    ),
}


@pytest.mark.parametrize("name", PRIORS)
def test_a_coordinate_of_a_number_with_a_prior_is_its_distribution_function(name):
    hyperparameter, distribution = PRIORS[name]
    scale = np.log if hyperparameter.log else np.asarray
    encoding, places = only(hyperparameter), np.linspace(0.02, 0.98, 25)
    values = np.array([found["x"] for found in encoding.decode(places[:, None])])
    np.testing.assert_allclose(distribution.cdf(scale(values)), places, rtol=1e-9)
    np.testing.assert_allclose(encoding.encode([{"x": value} for value in values])[:, 0], places, rtol=1e-9)
    ends = [found["x"] for found in encoding.decode([[0.0], [1.0]])]
    np.testing.assert_allclose(ends, [hyperparameter.lower, hyperparameter.upper])


INTEGERS = {
    "normal": Integer("n", (0, 20), distribution=Normal(5, 3)),
    "beta": Integer("n", (1, 12), distribution=Beta(2, 5)),
    "beta of two": Integer("n", (0, 1), distribution=Beta(2, 1)),
    "wide": Integer("n", (0, 10**9), distribution=Normal(10**8, 10**7)),
}


@pytest.mark.parametrize("name", [*PRIORS, *INTEGERS])
def test_draws_are_distributed_as_configspace_s_own(name):
    hyperparameter = PRIORS[name][0] if name in PRIORS else INTEGERS[name]
    encoding = only(hyperparameter)
    ours = [next(iter(c.values())) for c in encoding.decode(encoding.sample(2000, np.random.default_rng(1)))]
    theirs = hyperparameter.sample_value(size=2000, seed=np.random.RandomState(2))
    edges = np.quantile(theirs, np.linspace(0, 1, 9)[1:-1])
    counts = [
        np.bincount(np.searchsorted(np.unique(edges), each), minlength=len(set(edges)) + 1) for each in (ours, theirs)
    ]
    assert stats.chi2_contingency(np.array(counts)[:, np.sum(counts, 0) > 0]).pvalue > 1e-6


@pytest.mark.parametrize("name", ["normal", "beta", "beta of two"])
def test_cells_of_integers_have_the_mass_of_the_bins_in_which_configspace_samples(name):
    hyperparameter = INTEGERS[name]
    low, high, size = hyperparameter.lower, hyperparameter.upper, hyperparameter.size
    if name == "normal":
        distribution = stats.truncnorm(-5 / 3, 5, loc=5 / 20, scale=3 / 20)
    else:
        distribution = stats.beta(hyperparameter.alpha, hyperparameter.beta)
    left, right = only(hyperparameter).columns[0].cells(np.arange(low, high + 1))
    np.testing.assert_allclose(right - left, np.diff(distribution.cdf(np.arange(size + 1) / size)), atol=1e-12)
    np.testing.assert_array_equal(left[1:], right[:-1])
    assert left[0] == 0 and right[-1] == 1


def test_a_log_integer_with_a_prior_has_its_median_where_the_prior_has_it():
    encoding = only(Integer("n", (1, 10_000), distribution=Beta(5, 5), log=True))
    assert encoding.decode([[0.5]])[0]["n"] == 100


@st.composite
def priors(draw: st.DrawFn):
    log, low = draw(st.booleans()), draw(st.integers(1, 1000))
    high = low + draw(st.integers(1, 10**6))
    if draw(st.booleans()):
        prior = Beta(draw(st.floats(1, 20)), draw(st.floats(1, 20)))
    else:
        span = high - low  # on a log scale the deviation is a number of the scale itself
        prior = Normal(draw(st.floats(low, high)), draw(st.floats(0.01, 2)) * span)
    return draw(st.sampled_from([Float, Integer]))("x", (low, high), distribution=prior, log=log)


@given(priors(), arrays.arrays(np.float64, 9, elements=st.floats(0, 1)))
def test_coordinates_under_priors_are_canonical_and_in_the_order_of_the_values(hyperparameter, places):
    encoding, points = only(hyperparameter), np.sort(places)[:, None]
    values = [found["x"] for found in encoding.decode(points)]
    assert values == sorted(values)
    assert hyperparameter.lower <= values[0] and values[-1] <= hyperparameter.upper
    canonical = encoding.encode([{"x": value} for value in values])
    np.testing.assert_allclose(encoding.canonical(points), canonical, atol=1e-7)
    np.testing.assert_allclose(encoding.canonical(canonical), canonical, atol=1e-7)
    if isinstance(values[0], int):
        assert (np.diff(canonical[:, 0])[np.diff(values) == 0] == 0).all()


def weighted(**choices: float) -> CubeEncoding:
    return only(Categorical("k", list(choices), weights=list(choices.values())))


def test_choices_are_drawn_by_their_weights():
    encoding = weighted(never=0, often=6, seldom=1, sometimes=3)
    drawn = [found["k"] for found in encoding.decode(encoding.sample(5000, np.random.default_rng(0)))]
    counts = [drawn.count(choice) for choice in ("often", "seldom", "sometimes")]
    assert stats.chisquare(counts, [3000, 500, 1500]).pvalue > 1e-6 and sum(counts) == 5000


def test_uniform_coordinates_and_cells_correspond():
    encoding = weighted(often=6, never=0, seldom=1, sometimes=3)
    uniforms = np.array([[0.0], [0.59], [0.61], [0.69], [0.71], [1.0]])
    points = encoding.weighted(uniforms)
    expected = ["often", "often", "seldom", "seldom", "sometimes", "sometimes"]
    assert [found["k"] for found in encoding.decode(points)] == expected
    np.testing.assert_allclose(encoding.unweighted(points)[::2, 0], [0.3, 0.65, 0.85])
    np.testing.assert_array_equal(encoding.canonical(points), points)
    plain = CubeEncoding({"k": ["a", "b"]})
    assert plain.weighted(uniforms) is uniforms and plain.unweighted(uniforms) is uniforms and plain.shares == {}


def test_a_choice_of_weight_zero_is_none():
    encoding = weighted(a=1, never=0, b=1)
    assert encoding.cardinalities == {0: 2} and encoding.shares == {}
    assert [found["k"] for found in encoding.decode([[0.0], [0.49], [0.51], [1.0]])] == ["a", "a", "b", "b"]
    with pytest.raises(UserError, match="k = 'never' is not allowed; allowed: 'a', 'b', those of a positive weight"):
        encoding.encode([{"k": "never"}])


def test_conditions_and_clauses_look_at_the_choice_and_not_at_its_place_among_the_possible_ones():
    space = ConfigurationSpace()
    space.add(Categorical("k", ["never", "a", "b", "c"], weights=[0, 1, 1, 2]), Float("x", (0.0, 1.0)))
    space.add(EqualsCondition(space["x"], space["k"], "b"), ForbiddenEqualsClause(space["k"], "a"))
    encoding = CubeEncoding(space)
    found = encoding.decode(encoding.sample(300, np.random.default_rng(0)))
    assert {(c["k"], "x" in c) for c in found} == {("b", True), ("c", False)}
    for configuration in found:
        Configuration(space, values=configuration).check_valid_configuration()


def test_one_choice_with_a_weight_is_constant():
    space = ConfigurationSpace({"x": (0.0, 1.0)})
    space.add(Categorical("k", ["never", "always"], weights=[0, 1]))
    assert CubeEncoding(space).decode([[0.25]]) == [{"k": "always", "x": 0.25}]


@pytest.mark.parametrize(
    ("hyperparameter", "message"),
    [
        (
            lambda: Float("x", (0.0, 1.0), distribution=Normal(0.5, 0.0)),
            "'x' has a prior with mu = 0.5, sigma = 0, which",
        ),
        (lambda: Float("x", (0.0, 1.0), distribution=Normal(0.5, -1.0)), "'x' has a prior with mu = 0.5, sigma = -1"),
        (lambda: Float("x", (0.1, 1.0), distribution=Normal(0.3, 0.9), log=True), "sigma = 0.9 on a log scale, which"),
        (
            lambda: Integer("n", (0, 9), distribution=Normal(3, 0.0)),
            "'n' has a prior with mu = 3, sigma = 0, which is no",
        ),
        (
            lambda: Categorical("k", "ab", weights=[math.inf, 1]),
            r"'k' has the weights \(inf, 1\); allowed: finite numbers",
        ),
        (lambda: Categorical("k", "ab", weights=[0, 1], default="a"), "'k' has the default 'a', whose weight is 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(divide|invalid value):RuntimeWarning")
def test_priors_that_cannot_be_honoured_are_refused(hyperparameter, message):
    with pytest.raises(UserError, match=message):
        only(hyperparameter())


def defaults(*hyperparameters) -> CubeEncoding:
    space = ConfigurationSpace()
    space.add(*hyperparameters)
    return CubeEncoding(space)


def test_a_default_configuration_is_one_that_was_set():
    automatic = [
        Float("a", (0.0, 1.0)),
        Float("b", (1e-4, 1.0), log=True),
        Integer("c", (1, 100), log=True),
        Float("d", (0.0, 4.0), distribution=Normal(3.0, 0.1)),
        Integer("e", (1, 9), distribution=Beta(2, 5)),
        Categorical("f", ["x", "y"], weights=[0.1, 0.9]),
        Categorical("g", ["x", "y"]),
        OrdinalHyperparameter("h", [1, 2]),
        Constant("i", 3),
    ]
    assert defaults(*automatic).default_configuration() is None
    for one in (
        Float("z", (0.0, 1.0), default=0.1),
        Integer("z", (1, 9), default=2),
        Float("z", (0.0, 4.0), distribution=Normal(3.0, 0.1), default=1.0),
        Categorical("z", ["x", "y"], weights=[0.1, 0.9], default="x"),
        Categorical("z", ["x", "y"], default="y"),
        OrdinalHyperparameter("z", [1, 2], default_value=2),
    ):
        found = defaults(*automatic, one).default_configuration()
        assert found is not None and found["z"] == one.default_value and found["f"] == "y" and found["d"] == 3.0


def test_a_default_that_is_inactive_sets_nothing(conditional):
    """The defaults are kind svm, gamma 0.3 and width 4, of which svm leaves out the width."""
    assert CubeEncoding(conditional).default_configuration() == {"kind": "svm", "gamma": 0.3, "seed": 7}
    space = ConfigurationSpace()
    space.add(Categorical("k", ["a", "b"]), Float("x", (0.0, 1.0), default=0.1))
    space.add(EqualsCondition(space["x"], space["k"], "b"))
    assert CubeEncoding(space).default_configuration() is None


def test_tensors_and_single_precision_are_points_too():
    encoding = CubeEncoding(ConfigurationSpace({"x": (0.0, 1.0), "i": (1, 4)}))
    assert [column.name for column in encoding.columns] == ["i", "x"]
    assert encoding.decode(torch.tensor([[1.0, 0.5]], dtype=torch.float32)) == [{"i": 4, "x": 0.5}]
