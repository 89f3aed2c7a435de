"""Stored settings get their method's under one key: every method as it was built, and nothing is left to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.experiment import SCALES
from core.experiment.catalogue import Catalogue
from core.experiment.migration import migrate
from core.experiment.storage import read_provenance
from papers.migrations.nested_methods import MIGRATIONS

ROOT = Path(__file__).parents[3]
CHANGES = {migration.cells: migration.change for migration in MIGRATIONS}


@pytest.mark.parametrize(
    ("experiment", "flat", "method", "own"),
    [
        (
            "bohamiann/branin_full",
            {"optimizer": "optuna_tpe", "evaluations": 5, "initial_design": 2, "trees": 30, "maximizer": "gradient"},
            {"method": "optuna_tpe"},
            {"evaluations": 5, "initial_design": None},
        ),
        (
            "bohamiann/branin_full",
            {"optimizer": "random", "evaluations": 5, "initial_design": 2, "most_steps": 400},
            {"method": "random"},
            {"evaluations": 5, "initial_design": 2},
        ),
        (
            "bohb/surrogates_gp",
            {"optimizer": "gp_mcmc", "full_evaluations": 5, "workers": 1, "samples": 64, "surrogate_of_code": True},
            {"hyperparameter_samples": 10, "initial_design": 2},
            {"full_evaluations": 5, "workers": 1, "surrogate_of_code": True},
        ),
        (
            "bohb/surrogates_lcnet",
            {"optimizer": "hyperband_lcnet", "full_evaluations": 5, "brackets": None, "samples": 64, "eta": 3.0},
            {"samples": 64, "chain_steps": 2500, "brackets": None},
            {"full_evaluations": 5},
        ),
        (
            "fabolas/live",
            {"optimizer": "hyperband", "evaluations": 50, "seconds": 300.0, "auxiliary": None, "most_points": 4000},
            {"method": "hyperband", "eta": 3.0, "brackets": None, "oldest_first": False, "floored_sizes": False},
            {"evaluations": None, "seconds": 300.0, "most_points": 4000},
        ),
        (
            "fabolas/auxiliary",
            {"optimizer": "mtbo", "evaluations": 80, "seconds": None, "auxiliary": [0.5], "initial_design": None},
            {"auxiliary": [0.5], "initial_design": 5},
            {"evaluations": 80, "seconds": None},
        ),
        (
            "tabular/methods",
            {"optimizer": "random", "evaluations": 500, "minimum_budget": 3.0, "brackets": 125},
            {"method": "random"},
            {"evaluations": 500, "minimum_budget": None},
        ),
        (
            "lcnet/tables",
            {"brackets": 24, "minimum_budget": 3.0, "eta": 3.0, "samples": 100},
            {"method": "hyperband_lcnet", "brackets": 24},
            {"minimum_budget": 3.0, "evaluations": None},
        ),
        (
            "profet/search_svm",
            {"optimizer": "tpe", "tasks": 9, "evaluations": 20, "initial_design": 1, "samples": 25},
            {"method": "tpe", "initial_design": 20, "share": 0.25, "candidates": 24, "rounded_ends": False},
            {"tasks": 9, "evaluations": 20, "initial_design": None},
        ),
        (
            "profet/search_svm",
            {"optimizer": "bohamiann", "initial_design": 1, "samples": 25, "most_steps": None, "warm_burn_in": 3},
            {
                "samples": 25,
                "most_steps": None,
                "warm_burn_in": None,
                "maximizer": "random_search",
                "initial_design": 1,
            },
            {"initial_design": 1},
        ),
        (
            "profet/wall_clock",
            {"optimizer": "gp_mcmc", "evaluations": 6, "initial_design": 1, "tasks": 9, "hyperparameter_samples": 4},
            {"hyperparameter_samples": 4, "maximizer": "random_search", "initial_design": 5},
            {"evaluations": 6},
        ),
        (
            "ablr/quadratics",
            {"model": "gp", "restarts": 1, "iterations": 50, "widths": [8], "initial_design": 5, "transfer": False},
            {"method": "gp", "restarts": 1, "iterations": 50, "initial_design": 5, "maximizer": "local_search"},
            {"initial_design": 5, "transfer": False},
        ),
        (
            "dngo/suggestion_time",
            {"model": "gp_warped", "observations": [25], "longest": 20.0, "warm_up": 10},
            {"method": "gp_warped", "maximizer": "gradient"},
            {"observations": [25], "longest": 20.0, "warm_up": 10},
        ),
    ],
)
def test_a_method_keeps_what_it_had(experiment, flat, method, own):
    change = CHANGES[experiment]
    nested = change(flat)
    assert method.items() <= nested["method"].items()
    assert {key: value for key, value in nested.items() if key != "method"} == own
    assert change(nested) == nested


@pytest.mark.parametrize("experiment", CHANGES)
def test_migrated_files_say_what_they_were(experiment):
    """The settings of a file and those before each of its migrations all have the hashes that it records."""
    catalogue, shipped = Catalogue(ROOT), 0
    for cell in (cell for scale in SCALES for cell in catalogue.find_cells(experiment, scale)):
        path = cell.path(ROOT, "reference")
        if not path.exists():
            continue
        found, shipped = read_provenance(path), shipped + 1
        settings = found["settings"]
        assert found["settings_hash"] == cell.settings_hash == cell.hash_with(settings), cell.name
        for note in reversed(found.get("migrated", [])):  # a cell that was run again has none
            settings = before(settings, note)
            assert cell.hash_with(settings) == note["settings_hash"] and len(note["commit"]) == 40
    assert shipped


def before(settings, note):
    """The settings that a note of a migration says there were."""
    old, new = note["from"], note["to"]
    if "setting" in note:  # as notes were when a migration changed one value
        old, new = {note["setting"]: old}, {note["setting"]: new}
    assert new.items() <= settings.items()
    return {**{key: value for key, value in settings.items() if key not in new}, **old}


def test_nothing_is_left_to_migrate(tmp_path):
    (tmp_path / "results").mkdir()
    for folder in ("papers", "results/reference"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    assert migrate(tmp_path, MIGRATIONS) == []
