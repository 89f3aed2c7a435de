"""Models of learning curves on the collections (thesis 5.4.2 and 5.4.3), as records of experiments.

Both experiments return run, `number` (of the curve among those that did not diverge), `epoch`, and the predicted `mean`
and `variance` of the curve's value after that epoch, if the model has one. Where scores are recorded instead, they are
those of `papers.lcnet.scoring`. The authors' curves are read from the catalogue, since records hold a summary of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.models.curves.base import CurvePrediction, GlobalCurveModel
from papers.lcnet.authors_curves import authors_cnn
from papers.lcnet.curve_sets import AUTHORS, CurveSet, curve_set
from papers.lcnet.models import make_model
from papers.lcnet.scoring import summarized, summarized_by_curve
from papers.lcnet.settings import PredictPartial, PredictUnobserved


def partial(context: Context[PredictPartial]) -> pd.DataFrame:
    """Curves of which a share of the epochs is observed, the same for all: their value after the last epoch.

    Returns:
        As above, and `observed`, the number of epochs seen. For run 0 and the share nearest to `shown_share` all epochs
        of the first `shown` curves, else the last epoch of each curve. Scores are of the last epoch.
    """
    settings, collection = context.settings, _collection(context)
    recorded = settings.record == "predictions"
    shown_share = min(settings.shares, key=lambda share: abs(share - settings.shown_share))
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.method_seeds("model"), strict=True)):
        progress = context.progress_of(done)
        for number, share in enumerate(settings.shares):
            observed = max(1, round(share * collection.epochs))
            model = make_model(context.method, settings)
            given = slice(settings.curves)
            model.fit(collection.configurations[given], collection.curves[given, :observed], collection.epochs, seed)
            frames.append(_rows(model.extrapolate(1.0), collection.epochs).assign(run=run, observed=observed))
            if recorded and run == 0 and share == shown_share:
                prediction = model.extrapolate(np.arange(1, collection.epochs) / collection.epochs)
                whole = CurvePrediction(*(values[: settings.shown] for values in prediction))
                frames.append(_rows(whole, np.arange(1, collection.epochs)).assign(run=run, observed=observed))
            progress((number + 1) / len(settings.shares))
    records = pd.concat(frames, ignore_index=True)
    return records if recorded else summarized(records, collection.curves)


def unobserved(context: Context[PredictUnobserved]) -> pd.DataFrame:
    """Curves of which nothing is observed, in cross-validation: every `every`-th epoch of the curves held out.

    Returns:
        As above, or the scores of each curve.
    """
    settings, collection = context.settings, _collection(context)
    n = len(collection.curves)
    epochs = np.arange(settings.every, collection.epochs + 1, settings.every)
    frames = []
    seeds = zip(context.shared_seeds("folds"), context.method_seeds("model"), strict=True)
    for done, (run, (fold_seed, seed)) in enumerate(zip(context.runs, seeds, strict=True)):
        progress = context.progress_of(done)
        folds = np.array_split(np.random.default_rng(fold_seed).permutation(n), settings.folds)
        for number, held_out in enumerate(folds):
            kept = np.setdiff1d(np.arange(n), held_out)
            model = make_model(context.method, settings).fit(
                collection.configurations[kept], collection.curves[kept], seed=seed
            )
            assert isinstance(model, GlobalCurveModel)
            prediction = model.predict(collection.configurations[held_out], epochs / collection.epochs)
            frames.append(_rows(prediction, epochs, held_out).assign(run=run))
            progress((number + 1) / len(folds))
    records = pd.concat(frames, ignore_index=True)
    return records if settings.record == "predictions" else summarized_by_curve(records, collection.curves)


def _collection(context: Context) -> CurveSet:
    """The curves that did not diverge."""
    if context.benchmark == AUTHORS:
        return authors_cnn()
    return curve_set(context.benchmark, context.records("curves")).finished()


def _rows(prediction: CurvePrediction, epochs: object, numbers: np.ndarray | None = None) -> pd.DataFrame:
    """A row for each curve, `numbers` or from 0 on, and epoch, from mean and variance (n,) or (n, k)."""
    mean, variance = (values.reshape(len(values), -1) for values in prediction)
    numbers = np.arange(len(mean)) if numbers is None else numbers
    columns = {
        "number": np.repeat(numbers, mean.shape[1]).astype(np.int16),
        "epoch": np.tile(epochs, len(mean)).astype(np.int16),
        "mean": mean.ravel().astype(np.float32),
    }
    if not np.isnan(variance).all():
        columns["variance"] = variance.ravel().astype(np.float32)
    return pd.DataFrame(columns)
