"""What Snakemake was asked for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.experiment.targets import Asked

NOTHING = {"targets": set(), "target_jobs": set(), "forcerun": set(), "forceall": False}


@pytest.mark.parametrize(
    "settings, targets",
    [
        ({}, ("all",)),
        ({"targets": {"toy"}}, ("toy",)),
        ({"targets": {"./figures/toy/fig1.png"}}, ("figures/toy/fig1.png",)),
        ({"target_jobs": {"cell:method=plain"}}, ()),
        ({"targets": {"toy"}, "forcerun": {"figures/toy/fig1.png"}}, ("toy", "figures/toy/fig1.png")),
    ],
)
def test_targets(settings, targets):
    assert Asked.of(SimpleNamespace(**NOTHING | settings)) == Asked(targets)


def test_all_is_made_anew_where_that_is_asked_for():
    assert Asked.of(SimpleNamespace(**NOTHING | {"forceall": True})) == Asked(("all",), anew=True)
