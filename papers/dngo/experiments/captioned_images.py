"""Images with captions, and the objective on them, that settings describe (section 4.2)."""

from __future__ import annotations

from pathlib import Path

from core.captions.data import CaptionedImages, flickr8k, generated
from core.captions.features import FeatureNetwork, network_features, read_features
from core.captions.training import Schedule
from core.experiment.context import Context
from core.foundation.errors import UnknownNameError, UserError
from core.objectives.caption_tuning import CaptionTuning
from papers.dngo.settings import CaptionModel

BENCHMARKS = ("flickr8k", "generated")


def caption_tuning(context: Context[CaptionModel]) -> CaptionTuning:
    """The objective of a cell.

    Raises:
        UnknownNameError: no such images.
        UserError: a number of generated images that is not given.
        DataUnavailableError: Flickr8k, or what its features are made with, is not at hand.
    """
    settings = context.settings
    schedule = Schedule(
        epochs=settings.epochs,
        decay_every=settings.decay_every,
        look_every=settings.look_every,
        patience=settings.patience,
        over_batch=settings.over_batch,
    )
    return CaptionTuning(
        _images(context),
        schedule,
        settings.larger,
        settings.slower,
        most_words=settings.most_words,
        device=context.device,
    )


def _images(context: Context[CaptionModel]) -> CaptionedImages:
    settings = context.settings
    if context.benchmark == "generated":
        counts = tuple(count for count in settings.images if count is not None)
        if len(counts) < len(settings.images):
            raise UserError(f"images is {list(settings.images)}; allowed for generated images: three numbers")
        return generated(counts)
    if context.benchmark != "flickr8k":
        raise UnknownNameError("images with captions", context.benchmark, BENCHMARKS)
    if settings.feature_file is not None:
        features = read_features(Path(settings.feature_file))
    else:
        network = FeatureNetwork(settings.feature_width, settings.feature_blocks, settings.feature_epochs)
        features = network_features(network, context.device)
    return flickr8k(features, settings.images, settings.least_count)
