"""Images with captions, in three parts, and the vocabulary of the training part.

flickr8k(features)              Flickr8k's own parts, or some images of each (Hodosh et al. 2013)
generated()                     images that are attributes with noise, and captions made of them: no data needed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.captions.features import ImageFeatures
from core.captions.vocabulary import LEAST_COUNT, Tokens, Vocabulary, tokens_of
from core.data import load_frame
from core.foundation.errors import UserError
from core.foundation.validation import require_count

PARTS = {"training": "train", "validation": "dev", "test": "test"}
CHOICE = 2015  # seed of the choice of images where not all are used


@dataclass(frozen=True)
class Part:
    """Some of the images.

    Attributes:
        names: Name of each image.
        captions: Captions by people of each image, as tokens.
        features: Features of the images, (images, features) float32.

    Raises:
        UserError: no images, not as many names, captions and rows of features, or features that are not finite.
    """

    names: tuple[str, ...]
    captions: tuple[tuple[Tokens, ...], ...]
    features: NDArray[np.float32]

    def __post_init__(self) -> None:
        n, shape = len(self.names), self.features.shape
        if not n or len(self.captions) != n or len(shape) != 2 or shape[0] != n or not shape[1]:
            given = f"{n} images with captions of {len(self.captions)} and features of shape {shape}"
            raise UserError(f"{given}; allowed: one image or more, with captions and a row of features each")
        if not np.isfinite(self.features).all():
            raise UserError("features of images: nan or infinite values; allowed: finite numbers")


@dataclass(frozen=True)
class CaptionedImages:
    """Three parts, whose features are standardized by the training part, and the vocabulary of that."""

    training: Part
    validation: Part
    test: Part
    vocabulary: Vocabulary

    @classmethod
    def of(cls, parts: Sequence[Part], least: int = LEAST_COUNT) -> CaptionedImages:
        """The three parts, standardized; words that occur fewer than `least` times in training captions are unknown."""
        captions, features = parts[0].captions, parts[0].features
        vocabulary = Vocabulary.of((caption for each in captions for caption in each), least)
        mean, sd = features.mean(0), features.std(0)
        sd[sd == 0] = 1.0
        training, validation, test = (replace(each, features=(each.features - mean) / sd) for each in parts)
        return cls(training, validation, test, vocabulary)

    @property
    def features(self) -> int:
        """The number of features of an image."""
        return int(self.training.features.shape[1])


def flickr8k(
    features: ImageFeatures,
    images: tuple[int | None, int | None, int | None] = (None, None, None),
    least: int = LEAST_COUNT,
) -> CaptionedImages:
    """Flickr8k, five captions for each image.

    Args:
        features: Features of images; those without are left out (one of 8,092 has no thumbnail).
        images: How many images of each part, drawn at random but always the same ones; None for all.
        least: How often a word must occur.

    Raises:
        DataUnavailableError: the captions are not at hand.
        UserError: a number of images that a part does not have.
    """
    frame = load_frame("flickr8k_captions").sort_values(["image_id", "caption_index"], kind="stable")
    frame = frame[frame["image_id"].map(features.__contains__)]
    parts = []
    for (part, split), count in zip(PARTS.items(), images, strict=True):
        texts = frame[frame["split"] == split].groupby("image_id")["text"].agg(list)
        if count is not None and require_count(f"images: {part}", count) > len(texts):
            raise UserError(f"images: {part} is {count}; allowed: up to {len(texts)}, or None")
        chosen = np.sort(np.random.default_rng(CHOICE).permutation(len(texts))[:count])
        names = tuple(texts.index[chosen])
        captions = tuple(tuple(map(tokens_of, texts.iloc[place])) for place in chosen)
        parts.append(Part(names, captions, features.of(names)))
    return CaptionedImages.of(parts, least=least)


COLOURS = ("black", "brown", "green", "red", "white", "yellow")
NOUNS = ("bird", "boy", "cat", "dog", "girl", "horse", "man", "woman")
ACTIONS = ("jumping", "playing", "running", "sitting", "sleeping", "standing")
PLACES = ("at the beach", "in the grass", "in the snow", "near the water", "on the street")
TEMPLATES = (
    "A {0} {1} is {2} {3} .",
    "The {0} {1} is {2} .",
    "A {1} {2} {3} .",
    "There is a {0} {1} {2} {3} .",
    "{3} a {1} is {2} .",
)


def generated(images: tuple[int, int, int] = (200, 50, 50), features: int = 16, seed: int = 0) -> CaptionedImages:
    """Images of things with a colour that do something somewhere: noisy projections of these attributes.

    Args:
        images: How many of each part.
        features: Number of features.
        seed: Seed of everything random.
    """
    rng = np.random.default_rng(seed)
    attributes = (COLOURS, NOUNS, ACTIONS, PLACES)
    projection = rng.normal(size=(sum(map(len, attributes)), features))
    parts = []
    for part, count in zip(PARTS, images, strict=True):
        drawn = [rng.integers(len(each), size=count) for each in attributes]
        coded = np.concatenate([np.eye(len(each))[chosen] for each, chosen in zip(attributes, drawn, strict=True)], 1)
        seen = coded @ projection + 0.1 * rng.normal(size=(count, features))
        said = [[each[which] for each, which in zip(attributes, row, strict=True)] for row in zip(*drawn, strict=True)]
        captions = tuple(tuple(tuple(each.format(*words).split()) for each in TEMPLATES) for words in said)
        names = tuple(f"{part}_{number}" for number in range(count))
        parts.append(Part(names, captions, seen.astype(np.float32)))
    return CaptionedImages.of(parts)
