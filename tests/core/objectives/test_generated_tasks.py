"""Generated tasks: one batched call equals one network at a time, gradients, noise, and single tasks as objectives."""

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.objectives.generated_tasks import GeneratedTasks, generated_tasks
from core.objectives.meta_model import KINDS
from core.study.task_search import cube
from tests.core.objectives.made_models import made_functions, made_model

POINTS = torch.rand(7, 5, 2, generator=torch.Generator().manual_seed(5)).double()


def by_hand(functions, sample, latent, points):
    """The values of one task, layer by layer."""
    inputs = torch.cat([points, latent.expand(len(points), -1)], 1)
    a = ((inputs - functions.center) / functions.spread).float()
    *hidden, (W, b) = functions.network.unpack(functions.weights[sample])
    for W_, b_ in hidden:
        a = (a @ W_ + b_).tanh()
    z = (a @ W + b)[:, 0].double()
    if functions.kind == "error":
        return 1 / (1 + (-z).exp())
    return (1.5 + 0.5 * z).exp() if functions.kind == "positive" else 1.5 + 0.5 * z


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("samples", [[0, 1, 2, 3, 0, 0, 2], [1, 1, 1, 1, 1, 1, 1], [3, 2, 2, 0, 0, 0, 3]])
def test_all_tasks_together_are_each_its_own_network(kind, samples):
    functions = made_functions(kind)
    latent = torch.randn(7, 3, generator=torch.Generator().manual_seed(2)).double()
    together = functions.at(torch.tensor(samples), latent)(POINTS)
    for task, sample in enumerate(samples):
        alone = by_hand(functions, sample, latent[task], POINTS[task])
        torch.testing.assert_close(together[task], alone, rtol=1e-5, atol=1e-6)


def test_gradients_with_respect_to_the_points_are_those_of_finite_differences():
    tasks = generated_tasks(made_model(), 7)
    X = POINTS.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(tasks.values(X).sum(), X)
    step = 1e-2  # float32
    for axis in range(2):
        move = torch.zeros(2, dtype=torch.float64)
        move[axis] = step
        difference = (tasks.values(POINTS + move) - tasks.values(POINTS - move)) / (2 * step)
        torch.testing.assert_close(gradient[..., axis], difference, rtol=5e-3, atol=5e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_noise_has_the_variance_that_the_network_learned(kind):
    """In the units in which the network models it: errors as they are, otherwise standardized values or logarithms."""
    tasks = generated_tasks(made_model(kind=kind), 4)
    normals = torch.from_numpy(np.random.default_rng(0).standard_normal((4, 20_000)))
    values, observed = tasks.observe(POINTS[:4, :1].expand(-1, 20_000, -1), normals)
    if kind == "positive":
        values, observed = values.log(), observed.log()
    scale = 1.0 if kind == "error" else 0.5
    expected = tasks.model.loss.noise[tasks.samples].sqrt() * scale
    torch.testing.assert_close((observed - values).std(1), expected, rtol=0.03, atol=0)


def test_the_first_tasks_of_many_are_those_of_few_and_weights_are_shared_evenly():
    model = made_model()
    many, few = generated_tasks(model, 50), generated_tasks(model, 6)
    assert torch.equal(many.samples[:6], few.samples) and torch.equal(many.latent[:6], few.latent)
    assert many.seeds[:6] == few.seeds and len(set(many.seeds)) == 50
    assert torch.bincount(many.samples[:48], minlength=4).tolist() == [12] * 4
    other = generated_tasks(model, 6, seed=1)
    assert not torch.equal(few.latent, other.latent)


def test_latent_vectors_are_those_of_real_tasks_up_to_their_deviation():
    model = made_model()
    distances = torch.cdist(generated_tasks(model, 400).latent, model.encoder.means)
    nearest, task = distances.min(1)
    assert nearest.max() < 0.1 * 5
    share = torch.bincount(task, minlength=3) / 400
    assert (share - 1 / 3).abs().max() < 4 * (2 / 9 / 400) ** 0.5


def test_targets_are_the_values_on_the_grid():
    tasks = generated_tasks(made_model(), 3)
    targets = tasks.targets()
    assert targets.shape == (3, 200)
    middle = tasks.values(torch.full((3, 1, 2), 0.5).double())
    torch.testing.assert_close(targets[:, 1:2], middle)  # point 1 of Sobol's sequence is the centre


def test_a_single_task_is_an_objective_with_the_values_and_costs_of_all():
    tasks, space = generated_tasks(made_model(), 5), cube(2)
    objective = tasks.objective(3, space)
    found = objective.evaluate([{"x00": 0.2, "x01": 0.7}] * 2, None, np.random.default_rng(0))
    X = torch.tensor([0.2, 0.7]).double().expand(5, 1, 2)
    np.testing.assert_allclose(found.loss, tasks.values(X)[3].item(), rtol=1e-6)
    np.testing.assert_allclose(found.cost, tasks.seconds(X)[3].item(), rtol=1e-6)
    noisy = tasks.objective(3, space, noisy=True).evaluate([{"x00": 0.2, "x01": 0.7}], None, np.random.default_rng(0))
    assert noisy.loss[0] != found.loss[0] and noisy.info[0]["value"] == pytest.approx(found.loss[0], rel=1e-6)


def test_without_a_model_of_cost_an_evaluation_costs_1():
    objective = generated_tasks(made_model(cost=False), 2).objective(0, cube(2))
    assert objective.evaluate([{"x00": 0.2, "x01": 0.7}], None, np.random.default_rng(0)).cost.tolist() == [1.0]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda tasks: tasks.objective(5, cube(2)), "task 5; allowed: 0 to 4"),
        (lambda tasks: tasks.objective(0, cube(3)), "space of 3 dimensions; the tasks of 'svm' have 2"),
        (lambda tasks: generated_tasks(tasks.model, 0), "tasks is 0; allowed: a whole number from 1"),
        (lambda tasks: tasks.objective(0, cube(2)).evaluate([], 3.0, None), "no fidelity"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(UserError, match=message):
        make(generated_tasks(made_model(), 5))


def test_repeated_tasks_are_the_same_tasks_side_by_side():
    tasks = generated_tasks(made_model(), 3)
    twice = tasks.repeated(2)
    assert isinstance(twice, GeneratedTasks) and len(twice) == 6
    X = POINTS[:3]
    torch.testing.assert_close(twice.values(X.repeat_interleave(2, 0))[::2], tasks.values(X))
