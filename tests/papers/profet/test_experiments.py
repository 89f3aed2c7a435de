"""The experiments at the smoke scale: what they record, and that weights and records belong together."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch

from core.experiment.paper import Papers
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.foundation.errors import UserError
from core.objectives.meta_model import load, save
from papers.profet.experiments import compare, tasks_of
from tests.core.objectives.made_models import made_model
from tests.papers.runs import smoke_runs


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("profet")


@pytest.fixture(scope="module")
def smoke(root):
    run = smoke_runs("profet", root)
    for dataset in ("digits", "breast_cancer"):
        run(f"svm/{dataset}/svm")
    return run


def test_collections_number_their_points(smoke):
    frame = smoke("svm/digits/svm")
    assert frame["number"].tolist() == list(range(16))
    assert frame["loss"].between(0, 1).all() and (frame["seconds"] > 0).all()
    networks = smoke("fcnet/breast_cancer/fcnet")
    assert networks["loss"].between(0, 1).all() and networks["number"].nunique() == 16


def test_a_meta_model_records_its_latent_vectors_and_the_digest_of_its_weights(smoke, root):
    frame = smoke("meta_svm/svm/profet")
    assert list(frame["task"].unique()) == ["breast_cancer", "digits"] and len(frame) == 4
    model, digest = load(root / "results/run/smoke/profet/meta_svm/svm/profet.npz", "svm")
    assert set(frame["weights"]) == {digest} and model.names == ("breast_cancer", "digits")
    assert model.loss.samples == 5 and model.cost is not None


def test_real_tasks_are_generated_again(smoke):
    for name in ("meta_svm/svm", "meta_forrester/forrester"):
        smoke(f"{name}/profet")
    frame = smoke("resemblance/svm/profet")
    assert set(frame["task"]) == {"breast_cancer", "digits"} and set(frame["run"]) == {0, 1}
    assert set(frame["quantity"]) == {"value", "seconds"} and len(frame) == 8
    assert (frame[["squared_error", "variance", "noise"]] > 0).all(axis=None)


def test_tasks_that_are_generated_as_they_are_differ_by_nothing(monkeypatch):
    """In the units that the network models: errors, and the standardized logarithm of seconds."""
    model, generator = made_model(), torch.Generator().manual_seed(0)
    points = torch.rand(9, 2, generator=generator).double()
    latent = model.encoder.means
    monkeypatch.setattr(type(model.encoder), "draw", lambda encoder, count, generator: latent[None])
    for functions in (model.loss, model.cost):
        functions = dataclasses.replace(functions, weights=functions.weights[:1], noise=functions.noise[:1])
        values = functions.at(torch.zeros(len(latent), dtype=torch.long), latent)(points.expand(len(latent), -1, -1))
        rows = compare(model, functions, values, points, generator)
        assert rows["squared_error"].max() < 1e-12 and torch.equal(rows["noise"], functions.noise.expand(len(latent)))
        doubled = compare(model, functions, values * 2, points, generator)["squared_error"]
        wanted = values.square().mean(1) if functions.kind == "error" else (np.log(2) / functions.scale) ** 2
        assert torch.allclose(doubled, torch.as_tensor(wanted).double().expand(len(latent)))


def test_searches_record_what_changes(smoke):
    smoke("meta_svm/svm/profet")
    frame = smoke("search_svm/svm/random")
    assert set(frame["task"]) == {0, 1, 2} and set(frame["run"]) == {0, 1}
    for _, rows in frame.groupby(["task", "run"]):
        assert rows["evaluation"].iloc[0] == 1 and rows["evaluation"].iloc[-1] == 6
        assert (rows["loss"].diff().dropna() <= 0).all() and rows["solved"].between(0, 1).all()
    first = frame[frame["evaluation"] == 1].set_index(["task", "run"])["loss"]
    samples = smoke("svm_samples/svm/profet")
    assert len(samples) == 2 * 25 and not samples["value"].equals(samples["observed"])
    assert first.nunique() == 6


def test_weights_that_are_not_those_of_the_records_are_refused(smoke, root):
    smoke("meta_svm/svm/profet")
    file = root / "results/run/smoke/profet/meta_svm/svm/profet.npz"
    kept = file.read_bytes()
    papers = Papers()
    (cell,) = find_cells(papers, "profet/search_svm_noisy/svm_noisy/random", "smoke")
    try:
        save(made_model(), file)
        with pytest.raises(UserError, match=r"its digest is .*, that of the records is"):
            run_cell(cell, papers.function(cell), root, say=lambda text: None)
        file.unlink()
        with pytest.raises(UserError, match=r"a file \.npz beside it; make it with: python -m papers run"):
            run_cell(cell, papers.function(cell), root, say=lambda text: None)
    finally:
        file.write_bytes(kept)


def test_forrester_functions_are_searched_without_weights(smoke):
    frame = smoke("forrester_few/forrester_few/random")
    assert set(frame["task"]) == {0, 1, 2} and np.isfinite(frame["loss"]).all()


def test_tasks_need_the_same_points():
    rows = pd.DataFrame({"benchmark": ["a", "a", "b"], "number": [0, 1, 0], "loss": [0.1, 0.2, 0.3]})
    with pytest.raises(UserError, match="b: lacks the loss of some points"):
        tasks_of(rows, "loss")
    names, values = tasks_of(
        pd.concat([rows, pd.DataFrame({"benchmark": ["b"], "number": [1], "loss": [0.4]})]), "loss"
    )
    assert names == ["a", "b"] and values.tolist() == [[0.1, 0.2], [0.3, 0.4]]
