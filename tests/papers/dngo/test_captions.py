"""Searches for caption models, the captions of the best of them, and what is drawn and claimed of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.captions.data import generated
from core.captions.vocabulary import COUNTS, bleu_of
from core.experiment.context import Context
from core.experiment.finished import shard_folder
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.foundation.errors import UserError
from core.report import style
from papers.dngo.experiments import images as experiment
from papers.dngo.settings import CaptionModel
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")


@pytest.mark.parametrize("method", ["random", "dngo"])
def test_searches_record_models_and_violations(smoke, method):
    frame = smoke(f"captions/generated/{method}")
    assert frame.groupby("run")["evaluation"].apply(list).tolist() == [list(range(1, 11))] * 2
    np.testing.assert_allclose(frame["bleu"], -frame["loss"])
    violated = frame["status"] == "failed"
    assert (frame.loc[violated, "bleu"] == 0).all() and 0 < violated.sum() < len(frame)
    assert frame.loc[violated, "message"].str.match("too large: |too slow: |diverged: ").all()
    assert (frame.loc[~violated, "perplexity"] > 1).all() and (frame["parameters"] > 0).all()
    assert ((frame["factors"] > 0) == (frame["model"] == "multiplicative")).all()
    assert set(frame["worker"]) == {0, 1, 2, 3} and (frame["finished"] >= frame["started"]).all()
    assert frame.groupby("run")["finished"].apply(lambda each: each.is_monotonic_increasing).all()


def test_the_best_models_are_trained_again(smoke):
    """In each run the captions of validation images by the best model have the score that the search saw."""
    search = smoke("captions/generated/dngo")
    smoke("captions/generated/random")
    best = search.groupby("run")["bleu"].max()
    single = smoke("caption_models/generated/single")
    np.testing.assert_allclose(single.groupby("run")["validation"].first(), best)
    for method in ("single", "ensemble_3", "published"):
        frame = smoke(f"caption_models/generated/{method}")
        assert frame.groupby("run")["image"].apply(list).tolist() == [list(generated((40, 15, 15)).test.names)] * 2
        for _, rows in frame.groupby("run"):
            assert rows["bleu"].iloc[0] == pytest.approx(float(bleu_of(rows[list(COUNTS)].to_numpy())))
    second = search[search["status"] == "ok"].groupby("run")["bleu"].nlargest(3).groupby("run").mean()
    ensemble = smoke("caption_models/generated/ensemble_3")
    np.testing.assert_allclose(ensemble.groupby("run")["validation"].first(), second)


def test_an_interrupted_search_continues(tmp_path, monkeypatch):
    (cell,) = find_cells(Papers(), "dngo/captions/generated/random", "smoke")
    trained = []

    def train(self, settings, seed, inner=experiment.CaptionTuning.train):
        trained.append(seed)
        if len(trained) == stop:
            raise KeyboardInterrupt
        return inner(self, settings, seed)

    monkeypatch.setattr(experiment.CaptionTuning, "train", train)
    stop = 3
    with pytest.raises(KeyboardInterrupt):
        experiment.captions(Context(cell, range(1), root=tmp_path))
    stop, before = 0, trained[:2]
    trained.clear()
    frame = experiment.captions(Context(cell, range(1), root=tmp_path))
    assert trained and not set(before) & set(trained)
    pd.testing.assert_frame_equal(
        frame.drop(columns="overhead"),
        experiment.captions(Context(cell, range(1), root=tmp_path / "other")).drop(columns="overhead"),
    )
    assert not list(shard_folder(cell.path(tmp_path)).iterdir())


@pytest.mark.slow
def test_the_same_on_real_workers(tmp_path):
    overrides = {"clock": "real", "workers": 2, "evaluations": 6}
    (cell,) = find_cells(Papers(), "dngo/captions/generated/random", "smoke", overrides=overrides)
    frame = experiment.captions(Context(cell, range(1), root=tmp_path))
    assert frame["evaluation"].tolist() == [1, 2, 3, 4, 5, 6] and (frame["parameters"] > 0).all()


def test_generated_images_need_numbers():
    (cell,) = find_cells(Papers(), "dngo/captions/generated/random", "smoke")
    settings = cell.settings.model_copy(update={"images": (10, None, 10)})
    with pytest.raises(UserError, match=r"images is \[10, None, 10\]; allowed for generated images: three numbers"):
        experiment.caption_tuning(Context(replace(cell, settings=settings), range(1)))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random", "dngo"])
def test_the_papers_scale_trains_for_a_few_batches(method, monkeypatch, tmp_path):
    """All settings of the protocol but the number of models and of images, and with the features of a file."""
    (cell,) = find_cells(Papers(), f"dngo/captions/flickr8k/{method}", "paper")
    settings = cell.settings
    assert (settings.evaluations, settings.workers, settings.clock, settings.epochs) == (2500, 800, "real", 10)
    assert settings.over_batch and settings.images == (None, None, None) and settings.most_words == 50
    few = {"evaluations": 3, "workers": 2, "clock": "simulated", "images": (12, 4, 4), "look_every": 200}
    if method == "dngo":
        few["method"] = settings.method.model_copy(update={"initial_design": 2})
    settings = settings.model_copy(update=few)
    monkeypatch.setattr(
        "papers.dngo.experiments.images._images",
        lambda context: generated(tuple(context.settings.images)),
    )
    frame = experiment.captions(Context(replace(cell, settings=settings), range(1), root=tmp_path))
    assert frame["evaluation"].tolist() == [1, 2, 3] and (frame["parameters"] > 0).all()


@pytest.mark.slow
def test_captions_at_the_papers_scale_are_made_in_a_few_batches(monkeypatch):
    (cell,) = find_cells(Papers(), "dngo/caption_models/flickr8k/published", "paper")
    defaults = CaptionModel()
    assert all(getattr(cell.settings, name) == value for name, value in defaults)
    settings = cell.settings.model_copy(update={"images": (12, 4, 4), "epochs": 1})
    monkeypatch.setattr(
        "papers.dngo.experiments.images._images",
        lambda context: generated(tuple(context.settings.images)),
    )
    frame = experiment.caption_models(Context(replace(cell, settings=settings), range(1)))
    assert len(frame) == 4 and np.isfinite(frame["bleu"]).all()


def searches(late: float, zeros: int = 5) -> pd.DataFrame:
    """Three searches of 20 models by 4 workers: DNGO scores 10, later `late`; of random models half are too slow."""
    rows = []
    for method in ("dngo", "random"):
        for run in range(3):
            for evaluation in range(1, 21):
                bleu = late if evaluation > 12 else 10.0
                failing = evaluation > 20 - zeros if method == "dngo" else evaluation % 2 == 0
                rows.append(
                    {"benchmark": "flickr8k", "method": method, "run": run, "evaluation": evaluation}
                    | {"bleu": 0.0 if failing else (bleu if method == "dngo" else 4.0) + 0.01 * run}
                    | {"status": "failed" if failing else "ok", "message": "too slow: 9 s" if failing else ""}
                    | {
                        "worker": evaluation % 4,
                        "started": 0.0,
                        "finished": 1.0 * evaluation,
                        **configuration(evaluation),
                    }
                )
    return pd.DataFrame(rows)


def configuration(number: int) -> dict[str, object]:
    multiplicative = number % 7 == 0
    return {
        "model": "multiplicative" if multiplicative else "additive",
        "context_size": 3 + number,
        "learning_rate": 0.01 * number,
        "momentum": 0.04 * number,
        "batch_size": 20 + 5 * number,
        "hidden_units": 100 + 50 * number,
        "embedding_size": 100,
        "dropout": 0.03 * number,
        "word_decay": 1e-6,
        "context_decay": 1e-6,
        "factors": 60 if multiplicative else 0,
    }


def models(**gains: int) -> pd.DataFrame:
    """Captions of 40 images; each method matches so many more of ten quadruples, a little more in some images."""
    frames = []
    for method, gain in gains.items():
        for run in range(2):
            jitter = np.arange(40) % 2
            frame = pd.DataFrame({"image": [f"{number}.jpg" for number in range(40)], "caption": "A dog runs ."})
            for order in (1, 2, 3, 4):
                frame[f"matches_{order}"], frame[f"ngrams_{order}"] = 3 + gain + jitter, 10
                frame[f"other_matches_{order}"], frame[f"other_ngrams_{order}"] = 2, 10
            frame["length"] = frame["reference_length"] = 13
            frame["other_length"] = frame["other_reference_length"] = 13
            score = float(bleu_of(frame[list(COUNTS)].to_numpy()))
            frames.append(frame.assign(benchmark="flickr8k", method=method, run=run, status="ok", bleu=score))
    return pd.concat(frames, ignore_index=True)


def test_claims_about_searches(fake):
    results = fake(captions=searches(late=10.0))
    assert claims.good_after_a_few_rounds(results).holds == "holds"
    assert claims.explores_and_exploits(results).holds == "holds"
    assert claims.best_model_is_additive(results).holds == "inconclusive"  # both kinds score alike
    found = claims.most_of_the_space_is_infeasible(results)
    assert (found.holds, found.part, found.ours) == ("outside", "inconclusive", 0.5)
    assert claims.good_after_a_few_rounds(fake(captions=searches(late=11.0))).holds == "fails"
    assert claims.explores_and_exploits(fake(captions=searches(late=10.0, zeros=0))).holds == "fails"


def test_the_best_models_of_equal_scores_lie_close_together(fake):
    """The first three of equal scores differ least of all, and the random ones are all different."""
    check = claims.best_models_lie_far_apart(fake(captions=searches(late=10.0)))
    assert check.holds == "fails" and 0 < check.ours < 0.5
    far = searches(late=10.0)
    far.loc[(far["method"] == "dngo") & far["evaluation"].isin([1, 7, 14]), "bleu"] = 12.0
    assert claims.best_models_lie_far_apart(fake(captions=far)).holds == "holds"


def test_claims_about_ensembles_and_captions(fake):
    results = fake(caption_models=models(single=1, ensemble_2=2, ensemble_3=3))
    assert claims.ensemble_beats_the_single_model(results).holds == "holds"
    assert claims.each_model_improves_the_ensemble(results).ours == "2 of 2"
    assert claims.captions_are_of_their_images(results).holds == "holds"
    assert claims.some_captions_are_inaccurate(results).holds == "fails"
    assert claims.tuned_model_beats_recurrent_networks(results).holds == "outside"
    worse = fake(caption_models=models(single=3, ensemble_2=2, ensemble_3=1))
    assert claims.ensemble_beats_the_single_model(worse).holds == "fails"
    assert claims.each_model_improves_the_ensemble(worse).holds == "fails"


def drawn(name: str, results, published=None):
    with style.context():
        return getattr(artifacts, name)(results, published)


def test_the_figure_of_scores_shows_all_models(fake):
    figure = drawn("fig5", fake(captions=searches(late=11.0)))
    assert len(figure.data) == 60
    left, right = figure.figure.axes[:2]
    assert [line.get_label() for line in right.lines][:4] == ["trained", "too large", "too slow", "diverged"]
    assert [len(line.get_xdata()) for line in right.lines[:4]] == [45, 0, 15, 0]
    assert len(left.lines) == 4  # three runs, and the mean of random search


def test_captions_are_shown_without_images(fake, monkeypatch, tmp_path):
    monkeypatch.setenv("REPLICATION_DATA", str(tmp_path))
    monkeypatch.setenv("HPO_REPLICATIONS", str(tmp_path))
    figure = drawn("fig3", fake(caption_models=models(single=1, ensemble_3=3)))
    assert len(figure.data) == 6 and (figure.data["ensemble_3"] == "A dog runs .").all()
    assert "names stand in their places" in figure.caption
    alone = drawn("fig3", fake(caption_models=models(single=1)))
    assert alone.data["ensemble_3"].isna().all()


def test_table_2_has_no_verdicts_across_data_sets(fake):
    from core.report.verdicts.published import read_published

    published = read_published("papers/dngo/published/table2.csv")
    table = drawn("table2", fake(caption_models=models(published=0, single=1, ensemble_3=3)), published)
    kinds = {row: cell.verdict and cell.verdict.kind for (row, _), cell in table.cells.items()}
    assert kinds["single"] == kinds["ensemble_3"] == "outside" and kinds["ensemble_2"] == "not run"
    assert kinds["published"] == "not published" and kinds["human_expert"] is None
    assert table.cells["ensemble_3", "bleu"].ours > table.cells["single", "bleu"].ours


def test_table_7_is_our_space_with_our_optimum(fake):
    from core.report.verdicts.published import read_published_spec

    published = read_published_spec("papers/dngo/published/table7.csv")
    table = drawn("table7", fake(captions=searches(late=11.0)), published)
    for (_, column), cell in table.cells.items():
        assert cell.verdict.kind == ("outside" if column == "optimum" else "as configured")
    assert table.cells["model", "optimum"].text == "additive" and table.cells["factors", "optimum"].text == "-"
    assert table.cells["word_decay", "optimum"].published.text == "2.98456e-7"
