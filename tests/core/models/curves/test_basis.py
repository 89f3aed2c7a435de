"""Each basis function: zero at t = 1, finite, differentiable; their shapes."""

import math

import pytest
import sympy
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from sympy.parsing.sympy_parser import convert_xor, implicit_multiplication, parse_expr, standard_transformations

from core.models.curves.basis_network import BASIS, PARAMETERS, power, residuals

unit = st.floats(0, 1)
inside = st.floats(0.01, 0.99)


def as_written(formula):
    """The formula of a docstring as a function of t, a, b, c."""
    text = formula.replace("[", "(").replace("]", ")").replace("ln t", "ln(t)")
    rules = (*standard_transformations, convert_xor, implicit_multiplication)
    names = dict(zip("tabc", sympy.symbols("t a b c", positive=True)))
    return sympy.lambdify(list(names.values()), parse_expr(text, {**names, "e": sympy.E}, rules))


def doubles(values):
    return torch.tensor(values, dtype=torch.float64)


FORMULAS = {function.name: as_written(function.formula) for function in BASIS}


@pytest.mark.parametrize("function", BASIS, ids=lambda function: function.name)
@example(parameters=[1.0, 1.0, 0.4495485850423441], t=1.0)
@given(parameters=st.lists(unit, min_size=3, max_size=3), t=st.floats(1e-3, 1))
def test_vanishes_at_one_and_is_finite_and_monotone(function, parameters, t):
    theta = doubles(parameters[: function.parameters])
    assert function.evaluate(doubles(1.0), *theta).item() == 0
    value = function.evaluate(doubles(t), *theta).item()
    assert math.isfinite(value) and value >= -1 - 1e-12
    if function.name != "vapor pressure":
        later = function.evaluate(doubles((1 + t) / 2), *theta).item()
        assert value <= later + 1e-12 and later <= 1e-12


@pytest.mark.parametrize("function", BASIS, ids=lambda function: function.name)
@given(parameters=st.lists(inside, min_size=3, max_size=3), t=st.floats(0.02, 0.98))
def test_gradient_equals_finite_differences(function, parameters, t):
    point = doubles([t, *parameters[: function.parameters]]).requires_grad_()
    (gradient,) = torch.autograd.grad(function.evaluate(*point), point)
    step = 1e-6
    for k in range(len(point)):
        shift = step * torch.nn.functional.one_hot(torch.tensor(k), len(point))
        with torch.no_grad():
            difference = (function.evaluate(*(point + shift)) - function.evaluate(*(point - shift))) / (2 * step)
        assert gradient[k].item() == pytest.approx(difference.item(), rel=1e-4, abs=1e-7)


@given(st.lists(unit, min_size=PARAMETERS, max_size=PARAMETERS), st.floats(1e-3, 1))
def test_all_functions_together_equal_each_alone(parameters, t):
    values = residuals(doubles([t, 1.0]), doubles(parameters).expand(2, -1))
    assert values.shape == (2, len(BASIS)) and (values[1] == 0).all()
    start = 0
    for k, function in enumerate(BASIS):
        theta = doubles(parameters[start : start + function.parameters])
        assert values[0, k].item() == pytest.approx(function.evaluate(doubles(t), *theta).item(), abs=1e-14)
        start += function.parameters


@given(st.floats(0.01, 1), st.floats(1e-3, 1), st.floats(0, 1))
def test_the_printed_log_function_is_a_limit_of_power(a, t, b):
    """Its residual, a/2 ln t, whatever b and c are."""
    printed = a / 2 * math.log((b + 1e-3) * t) - a / 2 * math.log(b + 1e-3)
    small = 1e-7
    limit = power(doubles(t), doubles(a / 2), doubles(small)).item() / small
    assert limit == pytest.approx(printed, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("function", BASIS, ids=lambda function: function.name)
@given(parameters=st.tuples(inside, inside, inside), t=st.floats(0.02, 1))
def test_formulas_are_what_is_computed(function, parameters, t):
    value = function.evaluate(doubles(t), *doubles(parameters[: function.parameters])).item()
    assert value == pytest.approx(FORMULAS[function.name](t, *parameters), rel=1e-9, abs=1e-12)
