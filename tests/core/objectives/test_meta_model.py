"""Meta-models: fitted ones resemble their tasks, and their files hold everything or say what is wrong."""

import numpy as np
import pytest
import torch

from core.foundation.errors import UnavailableError, UserError
from core.models.meta_models import MetaNetwork
from core.objectives.generated_tasks import generated_tasks
from core.objectives.meta_model import MetaModel, load, save
from core.spaces.points import sobol_points
from tests.core.objectives.made_models import made_model

CHAIN = {"widths": (20, 20), "burn_in": 3000, "steps": 4000, "thinning": 100, "batch_size": 20}
POINTS = torch.from_numpy(sobol_points(1, 0, 40))


def bowls():
    """Four errors with their minimum at 0.2 to 0.8, (4, 40)."""
    return 0.1 + 0.8 * (POINTS[:, 0] - torch.linspace(0.2, 0.8, 4, dtype=torch.float64)[:, None]).square()


def fitted(values=None, **others):
    values = bowls() if values is None else values
    generator = torch.Generator().manual_seed(0)
    return MetaModel.fit(
        "bowls", values, POINTS, "abcd", generator, dimensions=1, encoder_steps=100, **(CHAIN | others)
    )


def test_generated_tasks_resemble_the_real_ones():
    tasks = generated_tasks(fitted(), 40)
    values = tasks.values(POINTS.expand(40, -1, -1))
    nearest = (values[:, None] - bowls()).square().mean(-1).sqrt().min(1).values
    assert nearest.median() < 0.05  # a constant at their mean is 0.08 to 0.15 away
    assert tasks.seconds is None


def test_every_observation_has_latent_vectors_of_its_own(monkeypatch):
    seen = []
    monkeypatch.setattr(MetaNetwork, "fit", lambda self, X, y, generators: seen.append(X) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fitted()
    X = seen[0][0].view(-1, len(POINTS), 2)  # (draws * tasks, N, d + Q)
    assert torch.equal(X[..., 0], POINTS[:, 0].expand(len(X), -1))
    assert all(len(vectors.unique()) == len(POINTS) for vectors in X[..., 1])


def test_costs_are_learned_on_the_logarithm():
    seconds = torch.linspace(1, 1000, 4, dtype=torch.float64)[:, None].expand(-1, 40)
    model = fitted(seconds=seconds)
    predicted = generated_tasks(model, 20).seconds(POINTS[:5].expand(20, -1, -1))
    assert (predicted > 0).all() and predicted.min() < 30 and predicted.max() > 200


def test_values_without_a_logarithm_are_refused():
    with pytest.raises(UserError, match="bowls: values from -1 on; allowed: positive"):
        fitted(torch.linspace(-1, 1, 160, dtype=torch.float64).view(4, 40), kind="positive")
    with pytest.raises(UserError, match="bowls: seconds from 0 on; allowed: positive"):
        fitted(seconds=torch.zeros(4, 40))


def test_a_file_holds_the_whole_model(tmp_path):
    model, file = made_model(), tmp_path / "deep" / "svm.npz"
    digest = save(model, file)
    again, found = load(file, "svm")
    assert digest == found == save(model, tmp_path / "other.npz")
    assert (again.name, again.names, again.worst) == (model.name, model.names, model.worst)
    X = torch.rand(9, 2, 2, generator=torch.Generator().manual_seed(0)).double()
    one, two = generated_tasks(model, 9), generated_tasks(again, 9)
    assert torch.equal(one.values(X), two.values(X)) and torch.equal(one.seconds(X), two.seconds(X))
    save(made_model(cost=False), file)
    assert load(file, "svm")[0].cost is None


def test_other_weights_have_another_digest(tmp_path):
    other = str(tmp_path / "b.npz")  # a path may be text
    assert save(made_model(), tmp_path / "a.npz") != save(made_model(seed=3), other) == load(other, "svm")[1]


@pytest.mark.parametrize("kept", [0, 10, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path, kept):
    file = tmp_path / "svm.npz"
    save(made_model(), file)
    whole = file.read_bytes()
    file.write_bytes(whole[: kept if isinstance(kept, int) else int(len(whole) * kept)])
    with pytest.raises(UserError, match=r"svm\.npz: damaged, or no meta-model"):
        load(file, "svm")


def test_a_flipped_bit_is_refused_or_changes_nothing(tmp_path):
    """Also in the headers of the archive and its arrays, where readers raise all kinds of exceptions."""
    file = tmp_path / "svm.npz"
    digest = save(made_model(), file)
    whole = file.read_bytes()
    for bit in [*range(0, 8 * 600, 5), *range(8 * len(whole) - 8 * 600, 8 * len(whole), 5)]:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        file.write_bytes(flipped)
        try:
            assert load(file, "svm")[1] == digest
        except UserError as error:
            assert str(error).startswith(f"{file}: damaged")


def test_a_changed_file_is_refused(tmp_path):
    file = tmp_path / "svm.npz"
    save(made_model(), file)
    with np.load(file) as stored:
        arrays = dict(stored)
    arrays["loss/weights"] = arrays["loss/weights"] + 1
    np.savez(file, **arrays)
    with pytest.raises(UserError, match="damaged, its digest is not"):
        load(file, "svm")


def test_a_file_of_another_class_and_no_file_are_refused(tmp_path):
    save(made_model("fcnet"), tmp_path / "svm.npz")
    with pytest.raises(UserError, match="the meta-model of 'fcnet'; needed: 'svm'"):
        load(tmp_path / "svm.npz", "svm")
    with pytest.raises(UnavailableError, match="no meta-model is there; make it with"):
        load(tmp_path / "none.npz", "svm")


def test_pickled_arrays_are_not_read(tmp_path):
    file = tmp_path / "svm.npz"
    np.savez(file, header=np.array([{"format": 1}], dtype=object), digest=np.zeros(8, np.uint8))
    with pytest.raises(UserError, match="damaged, or no meta-model"):
        load(file, "svm")
