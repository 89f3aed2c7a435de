"""Objectives by name: families, their members, and one error where what a member needs is not here."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core.foundation.errors import UnavailableError, UnknownNameError
from core.objectives import objective, objectives, objectives_of
from core.objectives.bbob import BBOB
from core.objectives.families import FAMILIES, recorded_file

SHIPPED = ["tabular/protein", "bohb/letter", "counting_ones/d8"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_member_that_is_shipped_can_be_evaluated_on_every_budget(name):
    found = objective(name)
    rng = np.random.default_rng(0)
    configurations = [dict(found.space.get_default_configuration())]
    for budget in (found.fidelity.minimum, found.fidelity.maximum, None):
        evaluation = found.evaluate(configurations, budget, rng)
        assert evaluation.loss.shape == (1,) and np.isfinite(evaluation.loss).all()


def test_our_table_is_the_one_that_the_chapter_drew_from():
    """The part of the grid that was trained, and the regret of its best configuration."""
    benchmark = objective("tabular/protein")
    assert benchmark.table.source.startswith("trained") or benchmark.table.curves is not None
    best = benchmark.table.best_configuration
    assert benchmark.evaluate([best], None, np.random.default_rng(0)).info[0]["test_error"] == pytest.approx(
        benchmark.final_optimum
    )


def test_a_family_stands_for_its_members_and_a_name_for_itself():
    assert objectives_of("bbob") == [f"bbob/f{number:02d}" for number in range(1, 25)]
    assert objectives_of("profet/svm") == [f"profet/svm/{task}" for task in range(5)]
    assert objectives_of("branin") == ["branin"] and objectives_of("profet/svm/12") == ["profet/svm/12"]
    assert {name.partition("/")[0] for name in objectives() if "/" in name} == set(FAMILIES)


@pytest.mark.parametrize("ask", [objective, objectives_of])
@pytest.mark.parametrize(
    ("name", "hint"),
    [("tabular/protien", "tabular/protein"), ("bohb/lettre", "bohb/letter"), ("bobb", "bbob|existing")],
)
def test_a_name_that_is_not_known_has_those_near_it(ask, name, hint):
    with pytest.raises(UnknownNameError, match=hint):
        ask(name)


def test_records_that_are_not_here_are_named_with_the_command_that_makes_them(tmp_path, monkeypatch):
    monkeypatch.setattr("core.objectives.families.workplace", lambda: tmp_path)
    told = r"results/reference/quick/bohb/collect/letter/fcnet.parquet is not in .*run bohb/collect/letter/fcnet "
    with pytest.raises(UnavailableError, match=told):
        objective("bohb/letter")
    with pytest.raises(
        UnavailableError, match=r"profet/svm: weights of a meta-model are too large to be shipped; .*npz"
    ):
        objective("profet/svm/0")


def test_own_records_come_before_shipped_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("core.objectives.families.workplace", lambda: tmp_path)
    for source in ("reference", "run"):
        file = tmp_path / "results" / source / "quick" / "a" / "b" / "c" / "d.parquet"
        file.parent.mkdir(parents=True)
        file.touch()
        assert recorded_file("a/b/c/d") == file


def test_data_that_are_not_here_are_one_error(monkeypatch, tmp_path):
    from core.data.catalogue import Network, Places

    nowhere = Places(root=tmp_path, network=Network(mirror="http://127.0.0.1:9", attempts=1, timeout=0.1))
    monkeypatch.setattr(Places, "from_environment", classmethod(lambda cls: nowhere))
    with pytest.raises(UnavailableError, match="authors_fcnet_naval_propulsion"):
        objective("fcnet/naval")


def test_generated_tasks_of_a_class_by_number(tmp_path, monkeypatch):
    """A meta-model of Forrester functions, where the experiment would have put it."""
    from core.objectives import families
    from core.objectives.meta_model import save
    from tests.core.objectives.made_models import made_model

    monkeypatch.setattr("core.objectives.families.workplace", lambda: tmp_path)
    families._generated.cache_clear()
    save(made_model("forrester"), tmp_path / "results/run/quick/profet/meta_forrester/forrester/profet.npz")
    first, other = objective("profet/forrester/0"), objective("profet/forrester/7")
    at = [dict.fromkeys(first.space, 0.3)]
    values = [each.evaluate(at, None, np.random.default_rng(0)).loss[0] for each in (first, other)]
    assert np.isfinite(values).all() and abs(values[0] - values[1]) > 1e-9
    families._generated.cache_clear()


class TestBBOB:
    def test_a_function_of_the_package_is_called_with_the_coordinates(self, monkeypatch):
        asked = []

        def suite(name, instances, functions):
            asked.append((name, instances, functions))
            return [lambda point: float(sum(point))]

        monkeypatch.setitem(sys.modules, "cocoex", SimpleNamespace(Suite=suite))
        found = objective("bbob/f08")
        assert isinstance(found, BBOB) and found.number == 8
        configuration = {f"x{i}": float(i) for i in range(5)}
        assert found.evaluate([configuration] * 2, None, np.random.default_rng(0)).loss.tolist() == [10.0, 10.0]
        assert asked == [("bbob", "instances: 1", "function_indices:8 dimensions:5")]

    def test_without_the_package_it_is_one_line(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "cocoex", None)
        with pytest.raises(UnavailableError, match=r"BBOB needs the Python package 'cocoex': pip install 'hpo-rep"):
            objective("bbob/f01")
