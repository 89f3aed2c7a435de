"""Points over configurations and a share of the data."""

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace, EqualsCondition, ForbiddenEqualsClause

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.optimizers.fidelities import SUBSETS, FullData, SubsetSizes, Tasks
from core.optimizers.information_settings import MTBOSettings
from core.spaces import CubeEncoding

SPACE = ConfigurationSpace({"x": (0.0, 1.0), "n": (1, 4)})
INNER = CubeEncoding(SPACE)
ALL = {
    "sizes": SubsetSizes(INNER, 1 / 512, 1.0),
    "tasks": Tasks(INNER, 1.0, (1 / 4, 1 / 32)),
    "full": FullData(INNER),
}


def x_of(*shape):
    return torch.rand(*shape, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_shares_are_on_a_logarithmic_scale():
    sizes = SubsetSizes(INNER, 0.01, 0.64)
    points = np.column_stack([np.zeros((3, 2)), [0.0, 0.5, 1.0]])
    assert sizes.budgets(points) == pytest.approx([0.01, 0.08, 0.64])
    assert sizes.budgets(points)[2] == 0.64, "not by rounding above the largest"
    for share in (1 / 64, 0.3, 1.0):
        (budget,) = sizes.budgets(np.array([[0, 0, sizes.column(share)]]))
        assert budget == pytest.approx(0.64 * share)


def test_tasks_are_the_full_data_and_the_given_shares():
    assert ALL["tasks"].budgets(np.array([[0, 0, 0.0], [0, 0, 1.0], [0, 0, 2.0]])) == [1.0, 1 / 32, 1 / 4]


def test_a_task_is_not_by_rounding_below_the_smallest_budget():
    tasks = MTBOSettings(auxiliary=(0.1,)).encoding(INNER, (0.07, 0.7))
    assert 0.1 * 0.7 < 0.07 and tasks.budgets(np.array([[0, 0, 1.0], [0, 0, 0.0]])) == [0.07, 0.7]


@pytest.mark.parametrize("name", ALL)
def test_every_point_has_a_configuration_and_a_budget(name):
    encoding = ALL[name]
    points = encoding.sample(20, np.random.default_rng(0))
    assert points.shape == (20, encoding.dimension)
    assert all(configuration.keys() == {"x", "n"} for configuration in encoding.decode(points))
    budgets = encoding.budgets(points)
    assert budgets is None if name == "full" else all(1 / 512 <= budget <= 1 for budget in budgets)
    generators = make_generators([0, 1])
    for found in (encoding.anywhere(x_of(2, 7), generators), encoding.design(x_of(2, 7))):
        assert found.shape[0] == 2 and found.shape[2] == encoding.dimension
        encoding.decode(found.flatten(0, 1).numpy())
        near = encoding.refine(found, 0.3, generators)
        assert near.shape == found.shape and not torch.equal(near, found)
        assert torch.equal(encoding.project(encoding.configuration(near)), encoding.configuration(near))
        encoding.decode(near.flatten(0, 1).numpy())


def test_the_full_data_is_where_the_search_is_about():
    x = x_of(2, 3)
    assert ALL["sizes"].budgets(ALL["sizes"].on_full(x)[0].numpy()) == [1.0] * 3
    assert ALL["tasks"].budgets(ALL["tasks"].on_full(x)[0].numpy()) == [1.0] * 3
    assert torch.equal(ALL["full"].on_full(x), x)


def test_the_initial_design_is_the_thesis_and_costs_less_than_a_quarter():
    """4.4.3: k points on 1/64 to 1/8 cost less than k / 4 evaluations of the full data if costs grow linearly."""
    design = ALL["sizes"].design(x_of(1, 10))[0].numpy()
    budgets = ALL["sizes"].budgets(design)
    assert budgets == pytest.approx(np.repeat(SUBSETS, 10)) and sum(budgets) < 10 / 4
    assert np.array_equal(design[:10, :2], design[30:, :2])


def test_each_configuration_may_have_a_subset_of_its_own():
    """The design of the authors' scripts: eight evaluations on 1/128, four on 1/64, two on 1/32, one on 1/4."""
    shares, points, x = (1 / 128, 1 / 64, 1 / 32, 1 / 4), (8, 4, 2, 1), x_of(2, 15)
    sizes = SubsetSizes(INNER, 1 / 512, 1.0, shares, points)
    design = sizes.design(x)
    assert sizes.budgets(design[1].numpy()) == pytest.approx(np.repeat(shares, points))
    assert torch.equal(sizes.configuration(design), x)


def test_where_the_thesis_shares_are_too_small_the_design_has_others():
    sizes = SubsetSizes(INNER, 0.1, 1.0)
    assert sizes.subsets == pytest.approx(10.0 ** np.array([-1, -5 / 6, -2 / 3, -1 / 2]))
    assert min(sizes.budgets(sizes.design(x_of(1, 1))[0].numpy())) == pytest.approx(0.1)
    assert SubsetSizes(INNER, 0.1, 1.0, subsets=(0.5, 0.2)).subsets == (0.2, 0.5)


def test_mtbo_s_initial_design_is_on_the_auxiliary_tasks():
    found = ALL["tasks"].budgets(ALL["tasks"].design(x_of(1, 2))[0].numpy())
    assert found == [1 / 32, 1 / 32, 1 / 4, 1 / 4]


@pytest.mark.parametrize("subsets", [(0.05, 0.2), (0.2, 0.2), (0.2, 1.0)])
def test_subsets_that_are_no_budgets_are_refused(subsets):
    with pytest.raises(UserError, match=r"subsets = .*allowed: different shares .* from 0.1 and below 1"):
        SubsetSizes(INNER, 0.1, 1.0, subsets=subsets)


MIXED = ConfigurationSpace({"kind": ["a", "b", "c"], "n": (1, 4), "x": (0.0, 1.0)})
MIXED.add(EqualsCondition(MIXED["x"], MIXED["n"], 3))
MIXED.add(ForbiddenEqualsClause(MIXED["n"], 4))
KINDS = [FullData, lambda inner: SubsetSizes(inner, 1 / 512, 1.0), lambda inner: Tasks(inner, 1.0, (1 / 4,))]


@pytest.mark.parametrize("kind", KINDS, ids=["full", "sizes", "tasks"])
def test_models_see_categories_without_an_order_and_what_is_active(kind):
    encoding = kind(CubeEncoding(MIXED))
    given = [{"kind": name, "n": n} for name in "abc" for n in (1, 2)] + [{"kind": "a", "n": 3, "x": 0.5}]
    points = encoding.on_full(torch.as_tensor(encoding.inner.encode(given)))
    seen = encoding.seen(points)
    assert torch.equal(seen[:, encoding.inner.dimension + 3 :], points[:, encoding.inner.dimension :])  # the fidelity
    distances = torch.cdist(seen, seen)
    between = distances[[0, 0, 2], [2, 4, 4]]  # of a and b, a and c, b and c at n = 1
    torch.testing.assert_close(between, torch.ones(3, dtype=torch.float64))
    assert encoding.seen(encoding.on_full(torch.zeros(2, 1, 3, dtype=torch.float64))).shape[:2] == (2, 1)


@pytest.mark.parametrize("kind", KINDS, ids=["full", "sizes", "tasks"])
def test_forbidden_configurations_have_another_value(kind):
    encoding = kind(CubeEncoding(MIXED))
    x = encoding.on_full(torch.tensor([[[0.1, 0.1, 0.5], [0.1, 0.9, 0.5]]], dtype=torch.float64))  # n = 1 and n = 4
    values = encoding.where_allowed(torch.ones(1, 2, dtype=torch.float64), x, -torch.inf)
    assert values.tolist() == [[1.0, -torch.inf]]


def test_inactive_hyperparameters_are_moved_to_their_default():
    encoding = SubsetSizes(CubeEncoding(MIXED), 0.1, 1.0)
    points = encoding.project(torch.tensor([[0.1, 0.1, 0.2], [0.1, 0.1, 0.9]], dtype=torch.float64))
    assert torch.equal(points[0], points[1])
