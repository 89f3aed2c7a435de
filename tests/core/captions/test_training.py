"""Descent on captions: the update by hand, what is kept, when training ends, and that models learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.captions.data import generated
from core.captions.log_bilinear import CONTEXTS, WORDS, LogBilinear, initial_weights
from core.captions.passes import loss_and_gradient
from core.captions.training import Schedule, perplexity, train
from core.captions.vocabulary import Instances, instances_of
from core.foundation.errors import UserError

VOCABULARY, FEATURES = 9, 4
SMALL = {"context_size": 2, "hidden_units": 5, "embedding_size": 3, "batch_size": 4, "dropout": 0.0}


def some(count: int = 8, context: int = 2) -> tuple[Instances, torch.Tensor]:
    rng = np.random.default_rng(0)
    instances = Instances(
        rng.integers(VOCABULARY, size=(count, context)), rng.integers(VOCABULARY, size=count), np.arange(count) % 3
    )
    return instances, torch.as_tensor(rng.normal(size=(3, FEATURES)))


@pytest.mark.parametrize("over_batch", [True, False])
def test_two_updates_by_hand(over_batch):
    """One batch of all instances, twice: the order of its instances changes rounding alone."""
    settings = LogBilinear(
        **(SMALL | {"batch_size": 8}), learning_rate=0.5, momentum=0.6, word_decay=1e-2, context_decay=2e-2
    )
    instances, features = some()
    schedule = Schedule(epochs=2, decay_every=8, over_batch=over_batch)
    found = train(settings, instances, features, VOCABULARY, lambda weights: 1.0, 3, schedule)
    theta = initial_weights(settings, VOCABULARY, FEATURES, torch.Generator().manual_seed(3), torch.float64)
    gradient, velocity = theta.like(torch.empty_like(theta.vector)), torch.zeros_like(theta.vector)
    rate = 0.5 / (8 if over_batch else 1)
    contexts, targets = torch.as_tensor(instances.contexts), torch.as_tensor(instances.targets)
    for _ in range(2):
        loss_and_gradient(theta, contexts, features[instances.rows], targets, None, gradient)
        for decay, names in ((1e-2, WORDS), (2e-2, CONTEXTS)):
            gradient.group(names).add_(decay * theta.group(names))
        velocity = 0.6 * velocity - 0.4 * rate * gradient.vector
        theta.vector.add_(velocity)
        rate *= 0.99**2  # after as many instances as `decay_every`, and after the epoch
    torch.testing.assert_close(found.weights.vector, theta.vector)
    assert found.instances == 16 and found.finite


def test_the_same_seed_gives_the_same_model():
    instances, features = some(20)
    settings = LogBilinear(**(SMALL | {"dropout": 0.3}))
    found = [
        train(settings, instances, features, VOCABULARY, lambda weights: 0.0, seed, Schedule(epochs=1))
        for seed in (0, 0, 1)
    ]
    assert torch.equal(found[0].weights.vector, found[1].weights.vector)
    assert not torch.equal(found[0].weights.vector, found[2].weights.vector)


def test_the_highest_score_is_kept_and_patience_ends():
    instances, features = some(12)
    seen, scores = [], iter([1.0, 3.0, 2.0, 3.0, 9.0])

    def score(weights) -> float:
        seen.append(weights.vector.clone())
        return next(scores)

    schedule = Schedule(epochs=10, look_every=4, patience=2)
    found = train(LogBilinear(**SMALL), instances, features, VOCABULARY, score, 0, schedule)
    assert found.score == 3.0 and found.instances == 16 and len(seen) == 4
    assert torch.equal(found.weights.vector, seen[1])


def test_the_end_is_looked_at():
    instances, features = some(12)
    counts = []
    schedule = Schedule(epochs=2, look_every=1000)
    found = train(LogBilinear(**SMALL), instances, features, VOCABULARY, lambda _: counts.append(1) or 0.0, 0, schedule)
    assert len(counts) == 1 and found.instances == 24


def test_divergence_ends_training():
    instances, features = some(400)
    settings = LogBilinear(**SMALL, learning_rate=1e6)
    found = train(settings, instances, features, VOCABULARY, lambda _: 0.0, 0, Schedule(over_batch=False))
    assert not found.finite and found.instances < 400 and found.score == -np.inf


@pytest.mark.parametrize("kind", ["additive", "multiplicative"])
def test_models_learn_what_images_show(kind):
    """With the images of others, captions are less probable."""
    data = generated((120, 40, 5))
    settings = LogBilinear(
        model=kind, context_size=4, hidden_units=50, embedding_size=30, learning_rate=0.4, batch_size=20, dropout=0.0
    )
    instances, others = (
        instances_of(part.captions, data.vocabulary, settings.context_size) for part in (data.training, data.validation)
    )
    seen, unseen = (torch.as_tensor(part.features) for part in (data.training, data.validation))
    schedule = Schedule(epochs=3, over_batch=False)
    found = train(settings, instances, seen, len(data.vocabulary), lambda _: 0.0, 0, schedule)
    own, exchanged = (perplexity(found.weights, others, each) for each in (unseen, unseen.roll(1, 0)))
    assert 1 < own < 4 < len(data.vocabulary) and exchanged > 1.5 * own


def test_perplexity_of_a_uniform_guess_is_the_number_of_words():
    instances, features = some(50)
    weights = initial_weights(LogBilinear(**SMALL), VOCABULARY, FEATURES, torch.Generator(), torch.float64)
    weights.vector.zero_()
    assert perplexity(weights, instances, features) == pytest.approx(VOCABULARY)


@pytest.mark.parametrize("name", ["epochs", "patience", "decay_every", "look_every"])
def test_what_is_refused(name):
    with pytest.raises(UserError, match=f"Schedule.{name} is 0"):
        Schedule(**{name: 0})
