"""Stochastic gradient descent on captions, as in the code that Kiros published with the models of Kiros et al. (2014).

    v <- p v - (1 - p) (eta / B) (g + decay * theta),    theta <- theta + v,    eta <- 0.99 eta every 100,000 instances

with momentum p and the gradient g of the mean over the B instances of a batch. Dividing by B once more is what that
code does; `over_batch=False` leaves it out, for trainings so short that nothing would be learned otherwise. What has
been learned is looked at regularly; the weights with the highest score are kept, and training ends early after a number
of looks without a new highest one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.captions.log_bilinear import CONTEXTS, WORDS, LogBilinear, Weights, initial_weights
from core.captions.passes import Predictor, loss_and_gradient
from core.captions.vocabulary import Instances
from core.foundation.validation import check_counts, check_positive

RATE_DECAY = 0.99
LOSSES = 10  # batches between two looks at whether the loss is finite
PREDICTED_TOGETHER = 4096


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long, and how, models are trained; the defaults are those of the published code.

    Args:
        epochs: Most passes through the instances.
        decay_every: Number of instances after which the rate falls by 1%; it also falls after each epoch.
        look_every: Number of instances after which the score is looked at; the end of training is always looked at.
        patience: Number of looks without a new highest score after which training ends.
        over_batch: Whether the rate is divided by the batch size.

    Raises:
        UserError: a value out of range.
    """

    epochs: int = 10
    decay_every: float = 100_000
    look_every: float = 1_000_000
    patience: int = 10
    over_batch: bool = True

    def __post_init__(self) -> None:
        check_counts("Schedule", epochs=self.epochs, patience=self.patience)
        check_positive("Schedule", decay_every=self.decay_every, look_every=self.look_every)


class Trained(NamedTuple):
    """The outcome of a training.

    Attributes:
        weights: Weights with the highest score.
        score: That score; -inf if there was no look.
        instances: Number of instances that were seen.
        finite: Whether the loss stayed finite; otherwise training ended there.
    """

    weights: Weights
    score: float
    instances: int
    finite: bool


def train(
    settings: LogBilinear,
    instances: Instances,
    features: Tensor,
    vocabulary: int,
    score: Callable[[Weights], float],
    seed: int,
    schedule: Schedule | None = None,
) -> Trained:
    """Train a model; the same seed gives the same weights on the same kind of machine.

    Args:
        instances: Instances with `settings.context_size` words of context.
        features: Features of the images, (images, features); training takes place on their device.
        vocabulary: Number of words.
        score: Function of the weights whose highest value is kept: BLEU of captions for other images.
    """
    schedule = schedule or Schedule()
    generator = torch.Generator(features.device).manual_seed(seed)
    weights = initial_weights(settings, vocabulary, features.shape[1], generator, features.dtype)
    descent = _Descent(weights, schedule)
    contexts, targets, rows = (
        torch.as_tensor(each, device=features.device)
        for each in (instances.contexts, instances.targets, instances.rows)
    )
    best, highest, looks, seen, next_look = weights.vector.clone(), -np.inf, 0, 0, schedule.look_every
    batch_size = min(settings.batch_size, len(instances))
    for epoch in range(schedule.epochs):
        order = torch.randperm(len(instances), generator=generator, device=features.device)
        batches = order[: len(order) // batch_size * batch_size].view(-1, batch_size)
        for number, batch in enumerate(batches):
            loss = descent.update(contexts[batch], features[rows[batch]], targets[batch], generator)
            seen += batch_size
            if (number % LOSSES == 0 or number == len(batches) - 1) and not torch.isfinite(loss):
                return Trained(weights.like(best), highest, seen, False)
            last = epoch == schedule.epochs - 1 and number == len(batches) - 1
            if seen >= next_look or last:
                next_look += schedule.look_every
                current_score = score(weights)
                looks = 0 if current_score > highest else looks + 1
                if not looks:
                    highest = current_score
                    best.copy_(weights.vector)
                if looks == schedule.patience:
                    return Trained(weights.like(best), highest, seen, True)
        descent.after_epoch()
    return Trained(weights.like(best), highest, seen, True)


class _Descent:
    """The descent of one model, in place."""

    def __init__(self, weights: Weights, schedule: Schedule) -> None:
        self.weights, self.settings, self.schedule = weights, weights.settings, schedule
        self.gradient = weights.like(torch.empty_like(weights.vector))
        self.velocity = torch.zeros_like(weights.vector)
        groups = ((self.settings.word_decay, WORDS), (self.settings.context_decay, CONTEXTS))
        self._decays = [(decay, self.gradient.group(names), weights.group(names)) for decay, names in groups]
        rate = self.settings.learning_rate / (self.settings.batch_size if schedule.over_batch else 1)
        self.step = (1 - self.settings.momentum) * rate
        self._since = 0.0

    def update(self, contexts: Tensor, features: Tensor, targets: Tensor, generator: torch.Generator) -> Tensor:
        """One update from a batch; its loss before the update, a tensor on the device."""
        mask = None
        if self.settings.dropout > 0:
            shape = (len(targets), self.settings.hidden_units)
            drawn = torch.rand(shape, generator=generator, device=features.device, dtype=features.dtype)
            mask = drawn > self.settings.dropout
        loss = loss_and_gradient(self.weights, contexts, features, targets, mask, self.gradient)
        for decay, gradient, theta in self._decays:
            gradient.add_(theta, alpha=decay)
        self.velocity.mul_(self.settings.momentum).add_(self.gradient.vector, alpha=-self.step)
        self.weights.vector.add_(self.velocity)
        self._since += len(targets)
        while self._since >= self.schedule.decay_every:
            self._since -= self.schedule.decay_every
            self.step *= RATE_DECAY
        return loss

    def after_epoch(self) -> None:
        """The rate falls after each epoch too."""
        self.step *= RATE_DECAY


def perplexity(weights: Weights, instances: Instances, features: Tensor) -> float:
    """2 to the mean negative log2 of the probabilities of the words, end symbols included; inf if it overflows."""
    predictor, total = Predictor(weights, features), 0.0
    contexts, targets, rows = _on_device(instances, features)
    for start in range(0, len(instances), PREDICTED_TOGETHER):
        part = slice(start, start + PREDICTED_TOGETHER)
        log_probabilities = predictor.log_probabilities(contexts[part], rows[part])
        total -= float(log_probabilities.gather(1, targets[part, None]).double().sum())
    with np.errstate(over="ignore"):
        return float(np.exp(total / len(instances)))


def _on_device(instances: Instances, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Contexts, targets and rows on the device of the features."""
    arrays = (instances.contexts, instances.targets, instances.rows)
    contexts, targets, rows = (torch.as_tensor(each, device=features.device) for each in arrays)
    return contexts, targets, rows
