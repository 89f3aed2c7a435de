"""Models of images: captions (section 4.2) and convolutional networks under corruption (section 4.3).

Searches for hyperparameters by many workers, captions of test images, and the networks that the searches end with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.captions.data import CaptionedImages, FeatureNetwork, flickr8k, generated, network_features, read_features
from core.captions.log_bilinear import LogBilinear
from core.captions.training import Schedule
from core.captions.vocabulary import COUNTS, bleu_of, ngram_counts
from core.experiment.context import Context
from core.experiment.finished import shard_folder
from core.experiment.image_tasks import best_configuration, images_of, remembered, retrained
from core.experiment.search import search
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.progress import Progress
from core.objectives.caption_tuning import PUBLISHED, CaptionTuning
from core.objectives.guard import Remembered
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Corrupted
from core.optimizers.base import Optimizer
from core.study.record import Record
from core.study.search import LearningConstraints
from core.study.simulated import simulate
from core.study.trace import Trace
from papers.dngo.settings import (
    CaptionEnsemble,
    CaptionModel,
    CaptionSearch,
    CorruptedNetworks,
    CorruptedSearch,
)

NONE = {"seed": 0, "parameters": 0, "perplexity": 0.0}
"""What is recorded of a model, and where it is not known: of one that was not trained to the end. Additive models have
0 factors."""


def captions(context: Context[CaptionSearch]) -> pd.DataFrame:
    """A search for hyperparameters, by many workers; what fails is an unknown constraint to a method that learns them.

    Returns:
        Rows in the order of the results: run, evaluation (from 1), `bleu` on validation images, 0 for what failed,
        `loss` (minus that), cost, started, finished, worker, overhead, origin, status, message, one column for each
        hyperparameter, and of the model its `seed`, `parameters` and `perplexity`.
    """
    objective = caption_tuning(context)
    seeds, noises = context.method_seeds("optimizer"), context.shared_seeds("objective")
    files, records = [_file(context, run) for run in context.runs], []
    for done, (seed, noise, file) in enumerate(zip(seeds, noises, files, strict=True)):
        optimizer = context.settings.method.build(objective.space, seed, evaluations=context.settings.evaluations)
        if isinstance(optimizer, LearningConstraints):
            optimizer.learn_constraints()
        records.append(_searched(context.settings, optimizer, objective, noise, file, context.progress_of(done)))
    for file in files:
        file.unlink(missing_ok=True)
    return _rows(context, objective, records)


def caption_models(context: Context[CaptionEnsemble]) -> pd.DataFrame:
    """Captions of test images by the best models of a search, trained again, or by the published optimum.

    Run r has the models of the search's run r, modulo the number of its runs, which have the highest scores there.

    Returns:
        One row per test image: run, `image`, `caption`, the counts of its n-grams (`core.captions.vocabulary.COUNTS`)
        with the captions of people as references, and the same with those of the next image, as `other_...`; and in all
        rows of a run `bleu` of all test images and `validation`, the mean score of the models.
    """
    tuning = caption_tuning(context)
    part, frames = tuning.data.test, []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("published"), strict=True)):
        progress = context.progress_of(done)
        chosen = [(PUBLISHED, seed)] if context.settings.models is None else _best(context, run)
        trained = [tuning.train(settings, each) for settings, each in chosen]
        progress(0.8)
        said = tuning.captions([each.weights for each in trained], part)
        own = ngram_counts(said, part.captions)
        others = ngram_counts(said, [*part.captions[1:], part.captions[0]])
        frame = pd.DataFrame({"image": part.names, "caption": [" ".join(words) for words in said]})
        frame[list(COUNTS)], frame[[f"other_{name}" for name in COUNTS]] = own, others
        score = float(np.mean([each.score for each in trained]))
        frames.append(frame.assign(run=run, bleu=float(bleu_of(own)), validation=score))
        progress(1.0)
    return pd.concat(frames, ignore_index=True)


def _best(context: Context[CaptionEnsemble], run: int) -> list[tuple[LogBilinear, int]]:
    """Hyperparameters and seeds of a search's best models.

    Raises:
        UserError: fewer models of it did not fail.
    """
    records = context.records("captions")
    records = records[records["method"] == "dngo"]
    own = records[(records["run"] == run % records["run"].nunique()) & (records["status"] == "ok")]
    if len(own) < (wanted := context.settings.models):
        raise UserError(f"{context.cell.name}: {len(own)} models of the search succeeded; needed: {wanted}")
    names = [each.name for each in fields(LogBilinear) if each.name != "factors"]
    models = []
    for row in own.sort_values(["loss", "evaluation"]).head(wanted).to_dict("records"):
        factors = {"factors": row["factors"]} if row["factors"] else {}
        models.append((LogBilinear.of({**{name: row[name] for name in names}, **factors}), int(row["seed"])))
    return models


def _file(context: Context[CaptionSearch], run: int) -> Path:
    """Where the evaluations of a repetition are kept until the shard is finished."""
    folder = shard_folder(context.cell.path(context.root))
    return folder / f"{context.settings.clock}-{context.cell.settings_hash}-{run}.jsonl"


def _searched(
    settings: CaptionSearch, optimizer: Optimizer, objective: CaptionTuning, seed: int, file: Path, progress: Progress
) -> list[Record]:
    """The records of one repetition; one that was interrupted continues from its file."""
    most = settings.evaluations
    if settings.clock == "simulated":
        remembered, generator = Remembered(objective, file), np.random.default_rng(seed)
        return simulate(optimizer, remembered, settings.workers, generator, evaluations=most, progress=progress)
    from core.study.pool import run_parallel  # needs an optional package

    numbers = count(1)
    return run_parallel(
        optimizer,
        objective,
        most,
        seed,
        settings.workers,
        journal=file,
        report=lambda record: progress(next(numbers) / most),
    )


def _rows(context: Context[CaptionSearch], objective: CaptionTuning, records: list[list[Record]]) -> pd.DataFrame:
    trace = Trace.of(records, context.runs)
    rows = trace.evaluations()
    rows[["started", "finished", "worker"]] = trace.frame[["started", "finished", "worker"]]
    rows.insert(2, "bleu", 0.0 - rows["loss"])
    known = [{name: each.get(name, 0) for name in objective.space} for each in trace.frame["configuration"]]
    models = [{name: record.info.get(name, none) for name, none in NONE.items()} for each in records for record in each]
    return pd.concat([rows, pd.DataFrame(known), pd.DataFrame(models)], axis=1)


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
        raise UnknownNameError("images with captions", context.benchmark, ("flickr8k", "generated"))
    if settings.feature_file is not None:
        features = read_features(Path(settings.feature_file))
    else:
        network = FeatureNetwork(settings.feature_width, settings.feature_blocks, settings.feature_epochs)
        features = network_features(network, context.device)
    return flickr8k(features, settings.images, settings.least_count)


def corrupted_search(context: Context[CorruptedSearch]) -> pd.DataFrame:
    """Validation errors of configurations that are evaluated side by side; see `Searches.evaluations`."""
    kept = remembered(context, _corrupted(context.settings, context.device))
    return search(context, kept).evaluations(configurations=True)


def corrupted_networks(context: Context[CorruptedNetworks]) -> pd.DataFrame:
    """Test errors of the best configuration of a search, or of the optimum that Table 6 prints; see `retrained`.

    Run r has the best configuration of the search's run r, modulo the number of its runs.
    """
    settings = context.settings
    objective = _corrupted(settings, context.device)

    def configuration(run: int) -> Mapping[str, Any]:
        if context.method == "printed":
            return settings.printed
        return best_configuration(context.records("networks"), context.method, run, objective.space)

    return retrained(context, objective, configuration, settings.final_epochs)


def _corrupted(settings: CorruptedSearch | CorruptedNetworks, device: str) -> ImageClassification:
    family = Corrupted(settings.width, settings.batch_size, settings.samples)
    return ImageClassification(family, images_of(settings), settings.epochs, device=device)
