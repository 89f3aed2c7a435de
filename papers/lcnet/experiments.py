"""The chapter's experiments: a shard of repetitions in, records out.

`collect` trains the collections of learning curves (5.4.1). `partial` and `unobserved` predict them (5.4.2, 5.4.3):
both return run, `number` (of the curve among those that did not diverge), `epoch`, and the predicted `mean` and
`variance` of the curve's value after that epoch, if the model has one. Where scores are recorded instead, they are
those of `papers.lcnet.runs`. The authors' curves are read from the catalogue, since records hold a summary of them.
`tables` runs Hyperband with LC-Net on the tabular benchmarks (5.4.4, B.4).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.search import on_table, search
from core.models.curves.base import CurveForest, CurveModel, CurvePrediction, GlobalCurveModel, LastSeenValue
from core.models.curves.extrapolation import Extrapolation
from core.models.curves.freeze_thaw import DecayingCurves, FreezeThaw
from core.models.curves.lcnet import CurveNetwork, LCNet
from core.tabular.benchmark import TabularBenchmark
from core.tabular.frame import from_records
from core.training.learning_curves import LearningCurves
from papers.lcnet.curves import AUTHORS, CurveSet, authors_cnn, curve_set, summarized_curves
from papers.lcnet.runs import summarized, summarized_by_curve
from papers.lcnet.settings import Collect, HyperbandOnTables, Predict, PredictPartial, PredictUnobserved

MODELS: dict[str, Callable[[Predict], CurveModel]] = {
    "lcnet": lambda settings: LCNet.authors(**settings.chain),
    "lcnet_ours": lambda settings: LCNet(**settings.chain),
    "bnn": lambda settings: CurveNetwork.authors(**settings.chain),
    "forest": lambda settings: CurveForest(),
    "decaying_gp": lambda settings: DecayingCurves(),
    "freeze_thaw": lambda settings: FreezeThaw(),
    "lc_extrapolation": lambda settings: Extrapolation(burn_in=settings.sweeps // 2, thinning=settings.sweeps // 40),
    "last_seen_value": lambda settings: LastSeenValue(),
}
"""The models of learning curves that the thesis compares (section 5.4), not fitted, by the names of our methods."""


def collect(context: Context[Collect]) -> pd.DataFrame:
    """Train configurations of one kind of network; a "run" is `settings.configurations` of them, one after the other.

    The authors' networks are read, not trained, and their curves are not recorded: see `papers.lcnet.curves`.

    Returns:
        run, `number` of the configuration, its hyperparameters, `most_units` where the layers are smaller than Table
        B.1's, and the lists of `core.training.learning_curves.train_curve`, one value per epoch.
    """
    settings = context.settings
    size = settings.configurations
    if context.benchmark == AUTHORS:
        rows = summarized_curves(authors_cnn())
        return rows[rows["run"].isin(context.runs)]
    chosen = settings.model_dump(include={"dataset", "images", "epochs", "most_units", "seed"})
    collection = LearningCurves(context.benchmark, **chosen, device=context.device)
    frames = []
    for done, run in enumerate(context.runs):
        numbers = range(run * size, (run + 1) * size)
        arrays = collection.train(numbers, context.progress_of(done))
        columns = {name: list(values) if values.ndim > 1 else values for name, values in arrays.items()}
        frame = pd.DataFrame({"run": run, "number": numbers, **columns})
        frames.append(frame if settings.most_units is None else frame.assign(most_units=settings.most_units))
    return pd.concat(frames, ignore_index=True)


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
            model = MODELS[context.method](settings)
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
            model = MODELS[context.method](settings).fit(
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


def tables(context: Context[HyperbandOnTables]) -> pd.DataFrame:
    """Runs on the table of the benchmark, which chapter 7's experiment trained; see `on_table`."""
    table = from_records(context.records("tabular/grid"), place=f"tabular/grid/{context.benchmark}")
    return on_table(search(context, TabularBenchmark(table, learning_curves=True)))
