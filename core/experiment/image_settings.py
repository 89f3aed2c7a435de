"""Settings of experiments that train networks on images. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from pydantic import PositiveInt

from core.experiment.settings import Settings


class ImageTask(Settings):
    """Images in three parts, and for how long networks train on them.

    Attributes:
        images: Name of the set in the catalogue.
        size: Number of pixels in a row to which images are resized; null leaves them as they are.
        train_images, validation_images, test_images: Numbers of images; null for what `core.vision.data` takes.
        epochs: Number of epochs, or the largest one.
    """

    images: str
    size: PositiveInt | None = None
    train_images: PositiveInt | None = None
    validation_images: PositiveInt | None = None
    test_images: PositiveInt | None = None
    epochs: PositiveInt
