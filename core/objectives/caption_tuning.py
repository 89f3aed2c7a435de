"""The log-bilinear model of captions: its hyperparameters by BLEU-4 on validation images (DNGO, section 4.2).

    CaptionTuning(flickr8k(features))
    objective("captions/flickr8k")            # of some images and one epoch, which takes seconds on a core

The loss is minus BLEU-4 in percent. A model that is too large or too slow is not trained, and one that diverges is
given up: each is a failed evaluation with a score of 0, the worst there is. A search learns where they are as an
unknown constraint, with `minimize(..., constraints=["failure"])`. The paper does not say which limits it had. Ours are
relative: at most so many times the weights, and so many times the arithmetic, of the published optimum. A model that is
worse than if all words were equally likely has diverged too.

The cost is a nominal time: the multiplications of the training on a core that does 20 billion a second, as one did of
the machine on which this was written. A model that is too slow costs what it was allowed, as if it had been stopped,
and one that is too large a tenth of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from torch import Tensor

from core.captions.data import CaptionedImages, FeatureNetwork, Part, flickr8k, generated, network_features
from core.captions.log_bilinear import LogBilinear, Weights
from core.captions.passes import BEAMS, MOST_WORDS, captions_by_beam_search
from core.captions.training import Schedule, Trained, perplexity, train
from core.captions.vocabulary import Tokens, bleu, instances_of
from core.foundation.errors import UnknownNameError
from core.objectives.base import FAILURE, Configurations, Evaluation, check_budget
from core.objectives.spaces import caption_space

OPERATIONS_PER_SECOND = 2e10
TOO_LARGE, SHARE_OF_TOO_LARGE = "too large", 0.1
PUBLISHED = LogBilinear()
"""The optimum of DNGO's Table 7."""


@dataclass(frozen=True)
class CaptionTuning:
    """The objective.

    Args:
        data: Images with captions.
        schedule: How long, and how, models are trained.
        larger, slower: How many times the weights, and the arithmetic, of the published optimum a model may have.
        beams, most_words: Settings of the beam search.
        device: Device of the training.
    """

    data: CaptionedImages = field(repr=False)
    schedule: Schedule = field(default_factory=Schedule)
    larger: float = 3.0
    slower: float = 2.0
    beams: int = BEAMS
    most_words: int = MOST_WORDS
    device: str = "cpu"
    fidelity: None = None
    optimum: None = None
    worst_loss: float = 0.0

    @cached_property
    def space(self) -> ConfigurationSpace:
        return caption_space()

    @cached_property
    def most_seconds(self) -> float:
        """The nominal time that a training may take."""
        return self.slower * self.seconds(PUBLISHED)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train a model for each configuration.

        Its entry of `info` has the `seed` with which it was trained, its `parameters` and nominal `seconds`, and of
        trained models their `perplexity` on validation captions, where that is finite.

        Raises:
            UserError: a budget, which this objective does not have, or no model can have these hyperparameters.
        """
        check_budget(self.fidelity, budget)
        seeds = generator.integers(2**31, size=len(configurations)).tolist()
        outcomes = [self._one(LogBilinear.of(each), seed) for each, seed in zip(configurations, seeds, strict=True)]
        losses, costs, info = zip(*outcomes, strict=True) if outcomes else ((), (), ())
        return Evaluation(np.array(losses, dtype=np.float64), np.array(costs, dtype=np.float64), tuple(info))

    def _one(self, settings: LogBilinear, seed: int) -> tuple[float, float, Mapping[str, Any]]:
        """Loss, cost and information about one model."""
        info = {"seed": seed, "parameters": self._parameters(settings), "seconds": self.seconds(settings)}
        if refused := self.refused(settings):
            share = SHARE_OF_TOO_LARGE if refused.startswith(TOO_LARGE) else 1.0
            return self.worst_loss, share * self.most_seconds, {**info, FAILURE: refused}
        trained = self.train(settings, seed)
        info["seconds"] = self.seconds(settings, trained.instances)
        if not trained.finite:
            return self.worst_loss, info["seconds"], {**info, FAILURE: "diverged: the loss is not finite"}
        perplexity = self.perplexity(trained.weights)
        info |= {"perplexity": perplexity} if np.isfinite(perplexity) else {}
        if not perplexity <= len(self.data.vocabulary):
            return self.worst_loss, info["seconds"], {**info, FAILURE: f"diverged: perplexity {perplexity:.3g}"}
        return 0.0 - trained.score, info["seconds"], info  # not -0.0

    def refused(self, settings: LogBilinear) -> str:
        """Why a model is not trained: it is too large or too slow; empty if it is."""
        parameters, seconds = self._parameters(settings), self.seconds(settings)
        if parameters > self.larger * self._parameters(PUBLISHED):
            return f"{TOO_LARGE}: {parameters:,} weights"
        return f"too slow: {seconds:.3g} s" if seconds > self.most_seconds else ""

    def train(self, settings: LogBilinear, seed: int) -> Trained:
        """A model trained on the training part, whose score is BLEU-4 of the validation part."""
        data = self.data
        instances = instances_of(data.training.captions, data.vocabulary, settings.context_size)
        shown = self._features(data.validation)
        with torch.no_grad():
            return train(
                settings,
                instances,
                self._features(data.training),
                len(data.vocabulary),
                lambda weights: bleu(self._captions([weights], shown), data.validation.captions),
                seed,
                self.schedule,
            )

    def captions(self, models: Sequence[Weights], part: Part) -> list[Tokens]:
        """Captions of the images of a part, by one model or by several together."""
        return self._captions(models, self._features(part))

    def perplexity(self, weights: Weights) -> float:
        """Perplexity of the captions of validation images."""
        part = self.data.validation
        instances = instances_of(part.captions, self.data.vocabulary, weights.settings.context_size)
        with torch.no_grad():
            return perplexity(weights, instances, self._features(part))

    def seconds(self, settings: LogBilinear, instances: int | None = None) -> float:
        """The nominal time of a training, whole or up to a number of instances."""
        if instances is None:
            instances = self.schedule.epochs * self._words
        return settings.operations(len(self.data.vocabulary), self.data.features) * instances / OPERATIONS_PER_SECOND

    @cached_property
    def _words(self) -> int:
        """The number of instances of the training part."""
        return sum(len(caption) + 1 for each in self.data.training.captions for caption in each)

    def _parameters(self, settings: LogBilinear) -> int:
        return settings.parameters(len(self.data.vocabulary), self.data.features)

    def _captions(self, models: Sequence[Weights], features: Tensor) -> list[Tokens]:
        return captions_by_beam_search(models, features, self.data.vocabulary, self.beams, self.most_words)

    def _features(self, part: Part) -> Tensor:
        return torch.as_tensor(part.features, dtype=torch.float32, device=self.device)


REDUCED_IMAGES = (2000, 250, 1000)
SHORT = Schedule(epochs=1, decay_every=1300, over_batch=False)


def reduced_tuning(name: str) -> CaptionTuning:
    """The objective on a part of Flickr8k, or on generated images: models that are trained in seconds.

    Rates are those of the mean gradient, since the published code makes a few hundred times as many updates.

    Raises:
        UnknownNameError: no such images.
        DataUnavailableError: Flickr8k or CIFAR-100 are not at hand.
    """
    if name not in ("flickr8k", "generated"):
        raise UnknownNameError("images with captions", name, ("flickr8k", "generated"))
    if name == "generated":
        return CaptionTuning(generated(), SHORT, most_words=20)
    data = flickr8k(network_features(FeatureNetwork()), REDUCED_IMAGES)
    return CaptionTuning(data, SHORT, most_words=20)
