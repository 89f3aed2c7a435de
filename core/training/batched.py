"""Training of all networks of a group at once in torch, on any device: one batched matrix product per layer.

The equations are those of `core.compiled.training`. Parameters of the G networks are in one tensor theta (G, P), so
that Adam is a few operations on it; gradients are coded by hand and written into views of a tensor of the same layout.

Training on the CPU in machine code, network after network: a network's state stays in the cache for all epochs.

The engine of choice for small networks: a step takes little more than its arithmetic, see `benchmarks`.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.compiled.elementary import seed_states
from core.compiled.perceptron import make_layout, padded_places, padded_rows
from core.compiled.training import EPSILON, FIRST_DECAY, SECOND_DECAY, Network, compile_training
from core.foundation.progress import Progress, silent
from core.foundation.randomness import permutations
from core.training.networks import Networks, Parts, Records

LARGEST_ACTIVATIONS = 2**26  # elements of a layer's activations during validation, over all networks

Layers = list[tuple[Tensor, Tensor]]


class TensorPart(NamedTuple):
    """A `Part` on the device of the training."""

    X: Tensor
    y: Tensor


class Draws:
    """The random choices of a group's training, from one generator on its device."""

    def __init__(self, networks: Networks, device: torch.device | str) -> None:
        self.group = len(networks.seeds)
        seed = int(np.random.SeedSequence(networks.seeds.tolist()).generate_state(1, np.uint64)[0])
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def order(self, points: int) -> Tensor:
        """The order of the points in an epoch, (G, n) int64."""
        return permutations(points, self.group, self.generator)

    def mask(self, layer: int, rows: int, units: int, rates: Tensor) -> Tensor:
        """The dropout mask of a hidden layer, (G, rows, units): 1 / (1 - p) or 0; rates p (G, 1, 1)."""
        shape = (self.group, rows, units)
        uniform = torch.rand(shape, generator=self.generator, device=rates.device)
        return (uniform >= rates).to(rates.dtype).div_(1 - rates)


class BatchedTraining:
    """The state of a group in training: parameters, moments and the number of the step."""

    def __init__(self, networks: Networks, parts: Parts, device: torch.device | str, draws: Draws) -> None:
        self.networks, self.classes, self.draws = networks, parts.classes, draws
        self.parts = [
            TensorPart(torch.from_numpy(part.X).to(device), torch.from_numpy(part.y).to(device))
            for part in (parts.train, parts.validation, parts.test)
        ]
        self.theta = torch.from_numpy(networks.initial()).to(device)
        self.gradient, self.first, self.second = (torch.zeros_like(self.theta) for _ in range(3))
        self.layers, self.gradients = (_unpack(flat, networks.sizes) for flat in (self.theta, self.gradient))
        self.tanh = torch.from_numpy(networks.tanh).to(device)[:, :, None, None]
        self.dropout = torch.from_numpy(networks.dropout).to(device)[:, :, None, None]
        self.rates = torch.from_numpy(networks.rates).to(device, torch.float32)
        self.drops = [bool((rates > 0).any()) for rates in networks.dropout.T]
        self.steps = 0

    def epoch(self, number: int) -> Tensor:
        """One pass over the training data; the mean error of its minibatches, (G,) float64."""
        X, y = self.parts[0]
        total = torch.zeros(len(self.theta), dtype=torch.float64, device=X.device)
        for batch in self.draws.order(len(y)).split(self.networks.batch_size, 1):
            total += self._step(X[batch], y[batch], self.rates[:, number, None])
        return total / len(y)

    def error(self, part: TensorPart) -> Tensor:
        """The mean error over a part of the data without dropout, (G,) float64."""
        rows = max(1, LARGEST_ACTIVATIONS // (len(self.theta) * max(self.networks.sizes[1:])))
        total = torch.zeros(len(self.theta), dtype=torch.float64, device=self.theta.device)
        for X, y in zip(part.X.split(rows), part.y.split(rows), strict=True):
            outputs = self._forward(X.expand(len(self.theta), -1, -1), training=False)[0][-1]
            total += self._head(outputs, y.expand(len(self.theta), -1))[0]
        return total / len(part.y)

    def _step(self, X: Tensor, y: Tensor, rates: Tensor) -> Tensor:
        """One step on minibatches X (G, B, d), y (G, B); returns the sum of their errors (G,)."""
        activations, masks = self._forward(X, training=True)
        errors, delta = self._head(activations[-1], y)
        delta.div_(y.shape[1])
        for layer in reversed(range(len(self.layers))):
            torch.bmm(activations[layer].mT, delta, out=self.gradients[layer][0])
            torch.sum(delta, 1, keepdim=True, out=self.gradients[layer][1])
            if layer > 0:
                delta, a, mask = delta @ self.layers[layer][0].mT, activations[layer], masks[layer - 1]
                if mask is not None:  # where it is not 0, the unit's value is a (1 - p)
                    delta, a = delta.mul_(mask), a * (1 - self.dropout[:, layer - 1])
                delta.mul_(torch.where(self.tanh[:, layer - 1], 1 - a * a, (a > 0).to(a.dtype)))
        self._adam(rates)
        return errors

    def _forward(self, X: Tensor, training: bool) -> tuple[list[Tensor], list[Tensor | None]]:
        """Activations of all layers, inputs first, and the masks of the hidden ones."""
        activations = [X]
        masks: list[Tensor | None] = []
        for layer, (W, b) in enumerate(self.layers):
            a = torch.baddbmm(b, activations[-1], W)
            if layer < len(self.layers) - 1:
                a = torch.where(self.tanh[:, layer], a.tanh(), a.relu())
                mask = None
                if training and self.drops[layer]:
                    mask = self.draws.mask(layer, a.shape[1], a.shape[2], self.dropout[:, layer])
                    a.mul_(mask)
                masks.append(mask)
            activations.append(a)
        return activations, masks

    def _head(self, outputs: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The sum of errors (G,) float64 and the gradient (G, B, outputs) of the summed loss."""
        if self.classes == 0:
            residual = outputs.squeeze(-1) - y
            return residual.double().square().sum(1), 2 * residual.unsqueeze(-1)
        labels, probabilities = y.long(), outputs.softmax(-1)
        wrong = (outputs.argmax(-1) != labels).double()
        errors = wrong.masked_fill_(~probabilities.isfinite().all(-1), torch.nan).sum(1)
        return errors, probabilities.scatter_add_(2, labels.unsqueeze(-1), -torch.ones_like(outputs[..., :1]))

    def _adam(self, rates: Tensor) -> None:
        """One step of Adam with one learning rate per network, (G, 1)."""
        self.steps += 1
        self.first.lerp_(self.gradient, 1 - FIRST_DECAY)
        self.second.mul_(SECOND_DECAY).addcmul_(self.gradient, self.gradient, value=1 - SECOND_DECAY)
        spread = (self.second / (1 - SECOND_DECAY**self.steps)).sqrt_().add_(EPSILON)
        self.theta.sub_((self.first * (rates / (1 - FIRST_DECAY**self.steps))).div_(spread))


def train_batched(
    networks: Networks,
    parts: Parts,
    device: torch.device | str,
    draws: Draws | None = None,
    progress: Progress = silent,
) -> Records:
    """Train a group; `seconds` is the wall-clock time, shared equally between the networks."""
    start = time.perf_counter()
    training = BatchedTraining(networks, parts, device, draws or Draws(networks, device))
    curves = []
    for epoch in range(networks.epochs):
        errors = training.epoch(epoch)
        curves.append(torch.stack([errors, training.error(training.parts[1])]))
        progress((epoch + 1) / networks.epochs)
    # First in single precision: what overflows there has diverged, as in the compiled engine.
    train, validation = torch.stack(curves, -1).float().cpu().numpy()
    test = training.error(training.parts[2]).float().cpu().numpy()
    seconds = np.full(len(test), (time.perf_counter() - start) / len(test))
    diverged = np.logical_or.accumulate(~np.isfinite(train + validation), axis=1)
    train[diverged] = validation[diverged] = test[diverged[:, -1] | ~np.isfinite(test)] = np.nan
    return Records(train, validation, test, seconds.astype(np.float32))


def _unpack(flat: Tensor, sizes: tuple[int, ...]) -> Layers:
    """Views of (G, P) as W (G, in, out) and b (G, 1, out) for each layer."""
    layers, start = [], 0
    for inputs, outputs in pairwise(sizes):
        middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
        layers.append((flat[:, start:middle].unflatten(1, (inputs, outputs)), flat[:, None, middle:end]))
        start = end
    return layers


EVALUATION_ROWS = 64  # at least this many at a time: enough to reuse the weights that are in registers
CALL_SECONDS = 0.5  # seconds of training between two checks for signals and progress


def train_compiled(networks: Networks, parts: Parts, progress: Progress = silent) -> Records:
    """Train a group; `seconds` is the CPU time of the one thread that trains the network.

    Machine code returns after as many epochs as fill `CALL_SECONDS`, at least one, so that progress is reported and
    signals are obeyed; the number of epochs per call does not affect the results.
    """
    train = compile_training()
    layout = make_layout(networks.sizes, max(networks.batch_size, EVALUATION_ROWS))
    places = padded_places(layout)
    data = tuple((padded_rows(part.X), part.y) for part in parts[:3])
    lanes, shufflers = seed_states(networks.seeds)
    group, epochs = len(networks.seeds), networks.epochs
    records = Records(*(np.full(shape, np.nan, np.float32) for shape in ((group, epochs),) * 2 + (group,) * 2))
    for g, start in enumerate(networks.initial()):
        theta, gradient, first, second = (np.zeros(layout.size, np.float32) for _ in range(4))
        theta[places] = start
        network = Network(networks.tanh[g], networks.dropout[g], theta, gradient, first, second, lanes[g])
        order, scratch = np.arange(len(parts.train.y)), np.zeros(layout.scratch, np.float32)
        fixed = (layout, network, *data, parts.classes, networks.batch_size, order, scratch)
        varied = (networks.rates[g], records.train[g], records.validation[g])
        if g == 0:  # no epochs: machine code is compiled or loaded before the clock starts
            train(*fixed, shufflers[:1], 0, False, *(array[:0] for array in varied))
        done, seconds, finite = 0, 0.0, True
        while finite and done < epochs:
            count = max(1, int(CALL_SECONDS * done / seconds)) if seconds > 0 else 1
            slices = (array[done : done + count] for array in varied)
            before = time.thread_time()
            more, finite, test = train(*fixed, shufflers[g : g + 1], done, done + count >= epochs, *slices)
            seconds += time.thread_time() - before
            done += more
            progress((g + done / epochs) / group)
        records.test[g] = test
        records.seconds[g] = seconds * epochs / done
    return records
