"""Tuning of the log-bilinear model: scores, limits, divergence, and a search that learns where models fail."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Configuration

from core import minimize
from core.captions.data import generated
from core.captions.log_bilinear import LogBilinear
from core.captions.training import Schedule
from core.captions.vocabulary import bleu
from core.foundation.errors import UserError
from core.objectives.caption_tuning import PUBLISHED, CaptionTuning
from core.spaces import CubeEncoding

SMALL = {
    "model": "additive",
    "context_size": 3,
    "learning_rate": 0.4,
    "momentum": 0.2,
    "batch_size": 40,
    "hidden_units": 100,
    "embedding_size": 50,
    "dropout": 0.0,
    "word_decay": 1e-7,
    "context_decay": 1e-7,
}


@pytest.fixture(scope="module")
def tuning() -> CaptionTuning:
    return CaptionTuning(generated((60, 20, 20)), Schedule(epochs=2, over_batch=False), most_words=12)


def evaluated(tuning: CaptionTuning, **changed: object):
    return tuning.evaluate([SMALL | changed], None, np.random.default_rng(0))


def test_the_space_is_table_7(tuning):
    space = tuning.space
    assert len(space) == 11
    published = Configuration(space, values={name: getattr(PUBLISHED, name) for name in SMALL})
    assert LogBilinear.of(published) == PUBLISHED
    points = CubeEncoding(space).sample(64, np.random.default_rng(0))
    for configuration in CubeEncoding(space).decode(points):
        assert ("factors" in configuration) == (configuration["model"] == "multiplicative")
        assert LogBilinear.of(configuration).model == configuration["model"]


def test_the_score_is_bleu_of_validation_captions(tuning):
    found = evaluated(tuning)
    [info] = found.info
    trained = tuning.train(LogBilinear.of(SMALL), info["seed"])
    captions = tuning.captions([trained.weights], tuning.data.validation)
    assert found.loss[0] == pytest.approx(-bleu(captions, tuning.data.validation.captions))
    assert found.loss[0] < -10 and not found.failed[0]
    assert info["perplexity"] == pytest.approx(tuning.perplexity(trained.weights)) and info["perplexity"] < 10
    assert found.cost[0] == pytest.approx(info["seconds"])


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"hidden_units": 2000, "embedding_size": 200}, "too large: "),
        ({"context_size": 18, "embedding_size": 100, "batch_size": 20}, "too slow: "),
        ({"learning_rate": 10.0, "momentum": 0.0}, "diverged: "),
    ],
)
def test_models_that_are_not_allowed_score_zero(tuning, changed, message):
    found = evaluated(tuning, **changed)
    assert found.failed[0] and found.info[0]["failure"].startswith(message)
    assert found.loss[0] == 0 == tuning.worst_loss and 0 <= found.cost[0] <= tuning.most_seconds


@pytest.mark.parametrize("perplexity", [np.inf, np.nan, 1e6])
def test_a_model_worse_than_a_uniform_guess_has_diverged(tuning, perplexity, monkeypatch):
    monkeypatch.setattr(CaptionTuning, "perplexity", lambda self, weights: perplexity)
    [info] = evaluated(tuning).info
    assert info["failure"] == f"diverged: perplexity {perplexity:.3g}" and ("perplexity" in info) == (perplexity == 1e6)


def test_a_model_that_is_too_slow_costs_what_it_was_allowed(tuning):
    found = evaluated(tuning, context_size=18, embedding_size=100, batch_size=20)
    assert found.cost[0] == pytest.approx(2 * tuning.seconds(PUBLISHED)) and found.cost[0] < found.info[0]["seconds"]


def test_no_configurations(tuning):
    assert len(tuning.evaluate([], None, np.random.default_rng(0)).loss) == 0


def test_there_is_no_budget(tuning):
    with pytest.raises(UserError, match="budget"):
        tuning.evaluate([SMALL], 1.0, np.random.default_rng(0))


def test_minimize_learns_constraints_on_it(tuning):
    found = minimize(tuning, method="dngo", evaluations=12, constraints=["failure"], progress=False)
    assert {record.notes["origin"] for record in found.records} == {"initial design", "policy"}
    failed = [record for record in found.records if record.failure]
    assert failed and all(record.loss == 0 for record in failed) and found.best_loss <= 0


@pytest.mark.slow
def test_dngo_avoids_models_that_fail(tuning):
    """The limits alone, without training: two thirds of random models are too large, too slow or have a rate too high.

    The loss is smallest at a rate of 0.4 without dropout.
    """

    def function(configuration):
        settings = LogBilinear.of(configuration)
        refused = tuning.refused(settings)
        if refused or settings.learning_rate > 1.5:
            raise ValueError(refused or "diverged")
        return abs(np.log10(settings.learning_rate / 0.4)) + settings.dropout

    shares, best = {}, []
    for method in ("random", "dngo"):
        runs = [
            minimize(function, tuning.space, method, evaluations=50, constraints=["failure"], seed=seed, progress=False)
            for seed in range(3)
        ]
        shares[method] = np.array([bool(record.failure) for run in runs for record in run.records[10:]])
        best.append(np.mean([run.best_loss for run in runs]))
    error = np.sqrt(sum(each.var() / len(each) for each in shares.values()))
    assert shares["random"].mean() > 0.5 and shares["dngo"].mean() < shares["random"].mean() - 2 * error
    assert best[1] < best[0]
