"""Images with captions, in three parts, and the vocabulary of the training part.

flickr8k(features)              Flickr8k's own parts, or some images of each (Hodosh et al. 2013)
generated()                     images that are attributes with noise, and captions made of them: no data needed

Features of Flickr8k's images: those of a network that was trained on CIFAR-100, or a user's own.

    network_features(FeatureNetwork())              computed once, then read from data/derived of the workplace
    read_features(Path("features.npz"))             arrays `names` (n,) and `features` (n, d)

A residual network without its last layer sees each thumbnail twice: whole, at the size of the images that it was
trained on, and in full size, of which it averages what it sees everywhere. Both means side by side are the features.
DNGO's were those of a large network that was trained on ImageNet, which is not at hand.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from core.captions.vocabulary import LEAST_COUNT, Tokens, Vocabulary, tokens_of
from core.data import load_frame
from core.data.tables import DamagedArraysError, read_arrays
from core.foundation.errors import UserError
from core.foundation.files import write_whole
from core.foundation.installation import needed_for, workplace
from core.foundation.progress import Progress, silent
from core.foundation.schedules import cosine
from core.foundation.validation import check_counts, require_count
from core.vision import Augmentation, ImageSet, ResidualNetwork, Training, image_set, train

SET, THUMBNAILS = "cifar100_part", "flickr8k_thumbs"
RATE, WEIGHT_DECAY = 0.1, 5e-4
SIZE = 32  # pixels in a row of CIFAR-100
TOGETHER = 64  # images at a time
DERIVED = Path("data/derived")


@dataclass(frozen=True)
class ImageFeatures:
    """Features by the name of an image, values (n, d) float32.

    Raises:
        UserError: names and rows of another number, or a name that occurs twice.
    """

    names: tuple[str, ...]
    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        n = len(set(self.names))
        if n != len(self.names) or self.values.ndim != 2 or len(self.values) != n:
            given = f"{len(self.names)} names, {n} of them different, and features of shape {self.values.shape}"
            raise UserError(f"{given}; allowed: a row of features for each name, which occurs once")

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def of(self, names: Sequence[str]) -> NDArray[np.float32]:
        """The features of images, (images, d)."""
        return self.values[[self._rows[name] for name in names]]


@dataclass(frozen=True)
class FeatureNetwork:
    """The network and its training on CIFAR-100.

    Args:
        width: Number of planes in its first stage; an image has eight times as many features.
        blocks: Number of blocks in a stage.
        epochs: Number of passes through the training images, with a cosine schedule.
        seed: Seed of everything random.

    Raises:
        UserError: a number below 1.
    """

    width: int = 16
    blocks: int = 1
    epochs: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        check_counts("FeatureNetwork", width=self.width, blocks=self.blocks, epochs=self.epochs)

    @property
    def file(self) -> Path:
        """Where the features are kept."""
        return workplace() / DERIVED / f"flickr8k_features_{'_'.join(map(str, astuple(self)))}.npz"


def network_features(network: FeatureNetwork, device: str = "cpu", progress: Progress = silent) -> ImageFeatures:
    """The features of all thumbnails; the network is trained where there is no file of them yet.

    Raises:
        DataUnavailableError: CIFAR-100 or the thumbnails are not at hand.
    """
    if not network.file.is_file():
        made = _computed(network, device, progress)
        write_whole(
            network.file,
            lambda stream: np.savez_compressed(stream, names=np.array(made.names), features=made.values),
        )
    return read_features(network.file)


def read_features(path: Path) -> ImageFeatures:
    """The features in a file.

    Raises:
        UserError: no such file, or not one with `names` and `features`.
    """
    try:
        content = read_arrays(path)
        names, values = content["names"].astype(str), content["features"].astype(np.float32)
    except (OSError, KeyError, ValueError, DamagedArraysError) as error:
        raise UserError(
            f"{path}: {error}; allowed: a file of numpy.savez with names (n,) and features (n, d)"
        ) from error
    return ImageFeatures(tuple(names.tolist()), values)


def _computed(network: FeatureNetwork, device: str, progress: Progress) -> ImageFeatures:
    with needed_for("features of images"):
        from PIL import Image
    frame = load_frame(THUMBNAILS)
    data = image_set(SET, validation=2, test=2)
    generator = torch.Generator().manual_seed(network.seed)
    trained = ResidualNetwork(network.blocks, network.width, data.classes, generator)
    settings = Training(
        cosine(RATE, network.epochs),
        nesterov=True,
        weight_decay=WEIGHT_DECAY,
        augment=Augmentation(shift=4, flip=True),
    )
    train(trained, data.to(device), settings, network.seed, device, progress=progress)
    parts = []
    for start in range(0, len(frame), TOGETHER):
        images = [Image.open(io.BytesIO(each)).convert("RGB") for each in frame["image"][start : start + TOGETHER]]
        whole = [image.resize((SIZE, SIZE), Image.Resampling.BOX) for image in images]
        parts.append(np.concatenate([_seen(trained, data, each, device) for each in (whole, images)], axis=1))
    return ImageFeatures(tuple(frame["name"]), np.concatenate(parts))


@torch.no_grad()
def _seen(network: ResidualNetwork, data: ImageSet, images: Sequence[object], device: str) -> NDArray[np.float32]:
    """Means over all pixels of what a network sees of images of one size, (images, 4 width)."""
    pixels = torch.from_numpy(np.stack([np.asarray(image) for image in images])).permute(0, 3, 1, 2) / 255
    network.eval()
    seen: NDArray[np.float32] = network.features(data.inputs(pixels).to(device)).float().cpu().numpy()
    return seen


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
