"""The training loop of networks that classify images.

    trained = train(network, data, Training(cosine(0.1, 200), weight_decay=5e-4), seed=0)

Stochastic gradient descent with momentum, or Adam, on the mean cross entropy of minibatches. Weight decay is a term of
the gradient. The rate changes from epoch to epoch (`core.foundation.schedules`). On the CPU numbers are float32 and
images have their channels last; on CUDA products are in bfloat16 by autocast.

Every epoch draws the order of the images, and every minibatch its changes, from one generator, whose state is part of
a checkpoint: a training that was interrupted continues as if it had not been.

A training's state in a file, so that what a kill interrupts goes on where it was.

A file holds plain tensors, numbers and text below a checksum, since Torch reads a tensor with a flipped bit without a
word; reading one runs no code that is in it. It has a `key`, everything that the training depends on: a file of another
training is refused, a damaged one counts as none.
"""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from core.foundation.errors import UserError
from core.foundation.files import with_checksum, without_checksum, write_whole
from core.foundation.progress import Progress, silent
from core.foundation.validation import require_count, require_number
from core.vision.convolutional import draw_from, parameters
from core.vision.data import Images, ImageSet
from core.vision.evaluation import (
    CURVES,
    DIVERGED,
    FINISHED,
    OUT_OF_MEMORY,
    TIME_LIMIT,
    Change,
    Trained,
    evaluate,
    no_curves,
    pixels_of,
    products,
)

State = dict[str, Any]


def write_checkpoint(path: Path, key: str, state: State) -> None:
    """Write the state of a training, whole or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    content = io.BytesIO()
    torch.save({"key": key, **state}, content)
    write_whole(path, lambda stream: stream.write(with_checksum(content.getvalue())))


def read_checkpoint(path: Path, key: str, device: str | torch.device) -> State | None:
    """The state of a training; None if there is no file, or a damaged one.

    Raises:
        UserError: the file belongs to another training, or cannot be read.
    """
    if not path.exists():
        return None
    try:
        content = without_checksum(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    if content is None:
        return None
    state: State = torch.load(io.BytesIO(content), map_location=device, weights_only=True)
    stored_key = state.pop("key")
    if stored_key != key:
        raise UserError(f"{path}: is of another training, {stored_key}; this one is {key}; use another file")
    return state


CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True)
class Training:
    """How a network is trained.

    Args:
        rates: Learning rate of each epoch, (E,).
        batch_size: Number of images in a minibatch; the last of an epoch has the remaining ones, unless it is one.
        optimizer: "sgd" or "adam".
        momentum: Momentum of descent.
        nesterov: Whether it is Nesterov's.
        weight_decay: Factor of the weights in the gradient.
        corrupt: Change of the pixels of a training image, in [0, 1], before they are centred and scaled.
        augment: Change of the inputs after that.
        most_seconds: Time after which a training ends, unfinished.

    Raises:
        UserError: a value out of range.
    """

    rates: NDArray[np.float64]
    batch_size: int = 128
    optimizer: Literal["sgd", "adam"] = "sgd"
    momentum: float = 0.9
    nesterov: bool = False
    weight_decay: float = 0.0
    corrupt: Change | None = None
    augment: Change | None = None
    most_seconds: float = np.inf

    def __post_init__(self) -> None:
        if self.rates.ndim != 1 or not len(self.rates) or not (self.rates >= 0).all():
            raise UserError(f"Training.rates is {self.rates}; allowed: numbers from 0, one for each epoch")
        require_count("Training.batch_size", self.batch_size, least=2)
        if self.optimizer not in ("sgd", "adam"):
            raise UserError(f"Training.optimizer is {self.optimizer!r}; allowed: 'sgd' or 'adam'")
        require_number("Training.momentum", self.momentum, lambda value: 0 <= value < 1, "from 0 to below 1")
        if self.nesterov and self.momentum == 0:
            raise UserError("Training.nesterov is True with momentum 0; allowed: a momentum above 0")
        require_number("Training.weight_decay", self.weight_decay, lambda value: value >= 0, "numbers from 0")
        require_number("Training.most_seconds", self.most_seconds, lambda value: value > 0, "positive numbers")

    @property
    def epochs(self) -> int:
        """E."""
        return len(self.rates)

    def steps(self, network: nn.Module) -> torch.optim.Optimizer:
        """The optimizer of a network's parameters."""
        kept: Any = list(network.parameters())
        if self.optimizer == "adam":
            return torch.optim.Adam(kept, weight_decay=float(self.weight_decay), fused=True)
        return torch.optim.SGD(
            kept,
            lr=0.0,
            momentum=float(self.momentum),  # torch refuses NumPy's numbers
            nesterov=bool(self.nesterov),
            weight_decay=float(self.weight_decay),
            fused=True,
        )


def train(
    network: nn.Module,
    data: ImageSet,
    settings: Training,
    seed: int,
    device: str = "cpu",
    checkpoint: Path | None = None,
    every: float = CHECKPOINT_SECONDS,
    progress: Progress = silent,
) -> Trained:
    """Train a network in place, which moves to the device.

    Args:
        network: Module that maps inputs (n, 3, size, size) to logits (n, classes).
        seed: Seed of everything random in the training.
        checkpoint: File for the state after an epoch, from which an interrupted training goes on.
        every: Seconds that have passed, at least, since the file was last written or the training begun.
        progress: Callback that receives the share of the epochs that is done.

    Raises:
        UserError: the checkpoint is of another training, or cannot be written.
    """
    loop = _Loop(network, data, settings, seed, device)
    key = _key(network, data, settings, seed)
    if checkpoint is not None and (state := read_checkpoint(checkpoint, key, "cpu")) is not None:
        loop.restore(state)
    written = time.monotonic()
    while loop.outcome is None:
        loop.epoch()
        if checkpoint is not None and time.monotonic() - written >= every:
            write_checkpoint(checkpoint, key, loop.state())
            written = time.monotonic()
        progress(loop.done / settings.epochs)
    return Trained(**loop.curves, outcome=loop.outcome)


class _Loop:
    """The state of a training."""

    def __init__(self, network: nn.Module, data: ImageSet, settings: Training, seed: int, device: str) -> None:
        self.device, self.settings = device, settings
        self.curves, self.done = no_curves(settings.epochs), 0
        self.outcome: str | None = None
        self.clock = time.thread_time if device == "cpu" else time.perf_counter
        self.spent = 0.0
        self.generator = torch.Generator(device).manual_seed(seed % 2**63)
        self.data = data.to(device)
        self.network = network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        draw_from(network, self.generator)
        self.steps = settings.steps(network)

    def epoch(self) -> None:
        """One pass over the training images, with validation."""
        started = self.clock()
        limit = started + self.settings.most_seconds - self.spent
        try:
            values = self._pass(limit)
        except (torch.OutOfMemoryError, MemoryError):
            values, self.outcome = None, OUT_OF_MEMORY
        except RuntimeError as error:
            if "can't allocate memory" not in str(error):  # the CPU's allocator has no class of its own
                raise
            values, self.outcome = None, OUT_OF_MEMORY
        seconds = self.clock() - started
        self.spent += seconds
        self.curves["seconds"][self.done] = seconds
        if values is None:
            self.outcome = self.outcome or TIME_LIMIT
            return
        if not np.isfinite(values).all():
            self.outcome = DIVERGED
            return
        for name, value in zip(CURVES, values, strict=False):
            self.curves[name][self.done] = value
        self.done += 1
        if self.done == self.settings.epochs:
            self.outcome = FINISHED

    def _pass(self, limit: float) -> tuple[float, float, float, float] | None:
        """Losses and errors of an epoch; None if the clock reached the limit within it."""
        self.network.train()
        for group in self.steps.param_groups:
            group["lr"] = float(self.settings.rates[self.done])
        images = self.data.train
        total, wrong = (torch.zeros((), device=self.device) for _ in range(2))
        order = torch.randperm(len(images), generator=self.generator, device=self.device)
        for rows in order.split(self.settings.batch_size):
            if len(rows) > 1:  # batch normalization has no variance of a last single image
                loss, errors = self._step(images[rows])
                total += loss
                wrong += errors
            if self.clock() > limit:
                return None
        trained = (float(total) / len(order), float(wrong) / len(order))
        return *trained, *evaluate(self.network, self.data.validation, self.data, self.device)

    def _step(self, batch: Images) -> tuple[Tensor, Tensor]:
        """One step; returns the sum of the losses and the number of wrong predictions."""
        pixels = pixels_of(batch.X)
        if self.settings.corrupt is not None:
            pixels = self.settings.corrupt(pixels, self.generator)
        X = self.data.inputs(pixels)
        if self.settings.augment is not None:
            X = self.settings.augment(X, self.generator)
        with products(self.device):
            scores = self.network(X)
        loss = functional.cross_entropy(scores.float(), batch.y)
        self.steps.zero_grad()
        loss.backward()
        self.steps.step()
        return loss.detach() * len(batch), (scores.detach().argmax(1) != batch.y).sum()

    def state(self) -> State:
        """Everything that the rest of the training depends on."""
        return {
            "network": self.network.state_dict(),
            "steps": self.steps.state_dict(),
            "generator": self.generator.get_state(),
            "curves": {name: torch.from_numpy(values) for name, values in self.curves.items()},
            "done": self.done,
            "spent": self.spent,
            "outcome": self.outcome,
        }

    def restore(self, state: State) -> None:
        """The inverse of `state`."""
        self.network.load_state_dict(state["network"])
        self.steps.load_state_dict(state["steps"])
        self.generator.set_state(state["generator"])
        self.curves = {name: values.numpy().copy() for name, values in state["curves"].items()}
        self.done, self.spent, self.outcome = state["done"], state["spent"], state["outcome"]


def _key(network: nn.Module, data: ImageSet, settings: Training, seed: int) -> str:
    """What a training depends on, in words."""
    images = f"{data.name}, {len(data.train)} + {len(data.validation)} images of {data.size} pixels"
    return f"{type(network).__name__} with {parameters(network)} parameters, {images}, seed {seed}, {settings}"
