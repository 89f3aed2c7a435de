"""Networks on images at the papers' scale: the experiments that train them take a few steps with their own settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.vision import Images, ImageSet

PAPERS = Papers()
SEARCHES = {  # with what is changed so that a few steps are enough
    "fabolas/networks/cifar10/random": {"epochs": 1, "evaluations": 1},
    "fabolas/networks/svhn/fabolas": {"epochs": 1, "evaluations": 5},
    "bohamiann/resnet/cifar10/random": {"epochs": 1, "evaluations": 2},
    "bohamiann/resnet_retrained/cifar10/original": {"epochs": 1},
    "dngo/networks/cifar10/dngo": {"epochs": 1, "evaluations": 2, "samples": 2},
    "dngo/networks/cifar100/dngo": {"epochs": 1, "evaluations": 1, "samples": 2},
    "dngo/networks_retrained/cifar10/printed": {"final_epochs": 1, "samples": 2},
    "bohb/cifar10/cifar10/bohb": {"epochs": 2, "least_epochs": 1},
    "bohb/cifar10_retrained/cifar10/gastaldi": {"epochs": 2, "least_epochs": 1},
}
PROTOCOL = {
    "fabolas/networks/cifar10/random": {"images": "cifar10", "size": None, "epochs": 40, "most_units": 256},
    "bohamiann/resnet/cifar10/random": {"images": "cifar10", "size": None, "workers": 8, "width": 16, "most_blocks": 5},
    "dngo/networks/cifar100/dngo": {"images": "cifar100", "epochs": 200, "width": 96, "workers": 40, "samples": 100},
    "bohb/cifar10/cifar10/bohb": {"images": "cifar10", "epochs": 600, "least_epochs": 22, "workers": 19, "width": 64},
}


def whole_images(train: int) -> ImageSet:
    """Noise of 32 x 32 pixels in ten classes."""
    generator = np.random.default_rng(0)

    def part(n: int) -> Images:
        X = generator.integers(0, 256, (n, 3, 32, 32), dtype=np.uint8)
        return Images(torch.from_numpy(X), torch.from_numpy(generator.integers(10, size=n)))

    return ImageSet("noise", part(train), part(16), part(16), 10, torch.full((3,), 0.5), torch.full((3,), 0.29))


@pytest.mark.parametrize("name", PROTOCOL)
def test_the_papers_scale_is_the_papers_protocol(name):
    (cell,) = find_cells(PAPERS, name, "paper")
    assert {each: getattr(cell.settings, each) for each in PROTOCOL[name]} == PROTOCOL[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_an_experiment_at_the_papers_scale_takes_a_few_steps(name, tmp_path, monkeypatch):
    (cell,) = find_cells(PAPERS, name, "paper")
    function = PAPERS.function(cell)
    images = 600 if name.startswith("fabolas") else 40
    monkeypatch.setitem(function.__globals__, "images_of", lambda settings: whole_images(images))
    changed = dict(SEARCHES[name])
    if name.startswith("bohb/cifar10/"):
        changed["method"] = cell.settings.method.model_copy(update={"brackets": 1})
    if name.endswith("/fabolas"):
        changed["method"] = cell.settings.method.model_copy(update={"initial_design": 1})
    context = Context(replace(cell, settings=cell.settings.model_copy(update=changed)), range(1), root=tmp_path)
    frame = function(context)
    error = next(column for column in ("error", "loss", "test_error") if column in frame)
    assert len(frame) and frame[error].between(0, 1).all() and (frame["run"] == 0).all()
