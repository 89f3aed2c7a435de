"""Gradient of a minibatch potential, compiled, of a tanh network whose inputs include learned features of the task.

The inputs of point b are (x_b, psi_t), t its task: psi_t is copied behind x_b before the pass of `gradient`, and with
delta_0 = dU / d(a_0 W_0 + b_0) and W_psi the rows of W_0 that belong to psi

    dU/dpsi_t = sum over the batch's points of task t of W_psi delta_0
"""

from typing import NamedTuple

import numba
import numpy as np

from core.compiled.gradient import likelihood_gradient
from core.compiled.layout import Layout, make_layout, padded_regression_places, round_up
from core.compiled.simd import LANES, lane_sum, load, splat


class TaskLayout(NamedTuple):
    """A network with one output, s = log sigma^2 and psi (K, L); offsets in elements."""

    hidden: Layout
    weight: int  # offset of w
    bias: int
    noise: int  # offset of s
    embedding: int  # offset of psi, row by row
    tasks: int  # K
    features: int  # L
    size: int  # length of the padded parameter vector, a multiple of two vectors


class TaskData(NamedTuple):
    """Data of all runs, standardized: X rows padded to whole vectors, flat, with zeros in the place of psi."""

    X: np.ndarray
    y: np.ndarray  # (runs, N)
    task: np.ndarray  # (N,) int64
    batch: int
    chains_per_run: int


def make_task_layout(sizes: tuple[int, ...], capacity: int, tasks: int, features: int) -> TaskLayout:
    """The layout of a network with sizes (inputs with psi, hidden ..., 1), at least one of them hidden."""
    hidden = make_layout(sizes[:-1], capacity)
    bias = hidden.size + int(hidden.row[-1])
    size = round_up(bias + 2 + tasks * features, 2 * LANES)
    return TaskLayout(hidden, hidden.size, bias, bias + 1, bias + 2, tasks, features, size)


def padded_task_places(layout: TaskLayout) -> np.ndarray:
    """Index in the padded vector of every entry of theta = (weights and biases, psi, s): (P_w + 1,)."""
    *perceptron, noise = padded_regression_places(layout)
    return np.array([*perceptron, *layout.embedding + np.arange(layout.tasks * layout.features), noise], np.int64)


@numba.njit
def task_gradient(theta, theta0, layout, y, tasks, points, scratch, gradient):
    """Write the gradient of U at the padded parameters theta[theta0:] into `gradient` (size,).

    The batch's inputs are in the scratch space, in the place of the activations below layer 0; `tasks` (batch,) are
    those of its points, and its targets y (batch,) are overwritten.
    """
    hidden, batch, features = layout.hidden, len(tasks), layout.features
    first = hidden.sizes[0] - features
    for b in range(batch):
        place = theta0 + layout.embedding + tasks[b] * features
        for k in range(features):
            scratch[b * hidden.row[0] + first + k] = theta[place + k]
    likelihood_gradient(theta, theta0, layout, y, batch, points, scratch, gradient)
    for k in range(layout.embedding, layout.embedding + layout.tasks * features):
        gradient[k] = np.float32(0)
    delta, row = hidden.activation[1], hidden.row[1]
    weight = theta0 + hidden.weight[0] + first * row
    for b in range(batch):
        for k in range(features):
            total = splat(0.0)
            for j in range(0, row, LANES):
                total = total + load(theta, weight + k * row + j) * load(scratch, delta + b * row + j)
            gradient[layout.embedding + tasks[b] * features + k] += lane_sum(total)
