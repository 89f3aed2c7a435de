"""The comparison that is timed is the one that the paper's folder runs, and its tasks are evaluated."""

import pytest
import torch

from benchmarks import profet
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.study.methods import method_of


def test_the_methods_are_those_of_the_searches_on_svm_but_for_bohamiann():
    cells = find_cells(Papers(), "profet/search_svm/svm", "quick")
    searched = {cell.settings.method.method: cell.settings for cell in cells}
    timed = {given["method"]: method_of(given) for given in profet.METHODS.values()}
    del searched["bohamiann"]
    assert {name: settings.method for name, settings in searched.items()} == timed
    (settings, *_), (runs, *_) = searched.values(), {cell.runs for cell in cells}
    assert {"tasks": settings.tasks, "runs": runs, "evaluations": settings.evaluations} == profet.WHOLE


@pytest.mark.parametrize("count", [3, 150])  # more than there are networks
def test_tasks_of_random_weights_have_values(count):
    tasks = profet.tasks(count)
    with torch.no_grad():
        values = tasks.values(torch.rand(count, 2, profet.DIMENSION, dtype=torch.float64))
    assert values.shape == (count, 2) and (values > 0).all() and (values < 1).all()
    assert len(values.unique()) == 2 * count
