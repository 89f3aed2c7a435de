"""Words of Snakemake's command line."""

from __future__ import annotations

import pytest

from core.experiment.targets import files_and_names, unknown_names

NAMES = ["all", "toy"]


@pytest.mark.parametrize("words", [["toi"], ["toy", "toi", "-n"], ["--config", "runs=run", "--", "toi", "toy"]])
def test_mistyped_names(words):
    assert unknown_names(words, NAMES) == ["toi"]


@pytest.mark.parametrize(
    "words", [["--until", "toi"], ["-n", "--profile", "toi"], ["toy", "-n"], ["figures/toi.pdf"], []]
)
def test_values_of_options_and_files_are_not_taken_for_names(words):
    assert unknown_names(words, NAMES) == []


def test_targets_are_found_wherever_they_stand():
    words = ["-n", "./figures/toy/fig1.png", "--cores", "toy", "x.pdf", "results/run/a.parquet"]
    assert files_and_names(words, NAMES) == ["figures/toy/fig1.png", "toy", "results/run/a.parquet"]
