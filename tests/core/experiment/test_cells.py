"""Cells: layered settings and who is blamed, the hash, paths and shards."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from core.experiment.cells import Cell, expand, make_cell
from core.experiment.paper import Paper, Papers
from core.experiment.schema import PaperSpec
from core.experiment.settings import Settings
from core.foundation.errors import UnknownNameError, UserError


class Fit(Settings):
    points: int = 5
    slope: float = 1.0
    kind: str = "normal"
    widths: list[int] = Field([50])


EXPERIMENT = {
    "description": "a fit",
    "function": "fit",
    "settings_model": "Fit",
    "benchmarks": {"line": {}, "curve": {"slope": 3.0}},
    "methods": {"plain": {}, "noisy": {"kind": "noisy"}},
    "settings": {"points": 7},
    "scales": {
        "smoke": {"runs": 2, "cut": "2 runs", "benchmarks": ["bundled"], "settings": {"points": 2}},
        "quick": "paper",
        "paper": {"runs": 25},
    },
}


def paper(**changes) -> Paper:
    spec = PaperSpec.model_validate(
        {
            "paper": "toy",
            "title": "Toy",
            "citation": "nobody",
            "documents": {},
            "quickstart": "fit",
            "experiments": {"fit": EXPERIMENT | changes},
            "artifacts": {},
        }
    )
    return Paper(spec, {"Fit": Fit}, Papers())


def scales_with(settings: dict) -> dict:
    return EXPERIMENT["scales"] | {"paper": {"runs": 25, "settings": settings}}


def cell(benchmark="line", method="plain", scale="paper", runs=None, overrides=None, **changes) -> Cell:
    return make_cell(paper(**changes), "fit", benchmark, method, scale, runs, overrides)


class TestLayers:
    def test_later_layers_win(self):
        """Experiment, benchmark, method, scale, and last what is set by hand."""
        changes = {"settings": {"slope": 1.5}}
        assert cell(**changes).settings.slope == 1.5
        assert cell("curve", **changes).settings.slope == 3
        changes |= {"methods": {"plain": {"slope": 4}}}
        assert cell("curve", **changes).settings.slope == 4
        changes |= {"scales": scales_with({"slope": 2})}
        assert cell("curve", **changes).settings.slope == 2
        assert cell("curve", overrides={"slope": 5}, **changes).settings.slope == 5

    def test_layers_above_do_not_reach_other_cells(self):
        assert cell("line").settings.slope == 1
        assert cell("curve").settings.slope == 3
        assert cell(method="noisy").settings.kind == "noisy"
        assert cell("bundled", scale="smoke").settings.points == 2

    @pytest.mark.parametrize(
        "place, changes",
        [
            ("settings", {"settings": {"points": "many"}}),
            ("scales.paper.settings", {"scales": scales_with({"points": "many"})}),
            ("benchmarks.line", {"benchmarks": {"line": {"points": "many"}}}),
            ("methods.plain", {"methods": {"plain": {"points": "many"}}}),
        ],
    )
    def test_the_layer_that_set_a_refused_value_is_blamed(self, place, changes):
        expected = rf"paper\.yaml: experiments\.fit\.{place}\.points = 'many': .*valid integer"
        with pytest.raises(UserError, match=expected):
            cell(**changes)

    def test_what_is_set_by_hand_is_blamed_without_the_file(self):
        with pytest.raises(UserError) as caught:
            cell(overrides={"points": "many"})
        assert str(caught.value).startswith("--set points = 'many': ")

    def test_each_of_several_findings_has_its_own_layer(self):
        with pytest.raises(UserError) as caught:
            cell(settings={"points": "many"}, methods={"plain": {"widths": ["x"]}})
        first, second = str(caught.value).split("; ")
        assert first.startswith("papers/toy/paper.yaml: experiments.fit.settings.points = 'many'")
        assert second.startswith("papers/toy/paper.yaml: experiments.fit.methods.plain.widths.0 = 'x'")

    def test_an_unknown_setting_names_its_layer_and_the_nearest(self):
        expected = r"experiments\.fit\.methods\.plain\.slop = 3: unknown key; did you mean 'slope'\?"
        with pytest.raises(UserError, match=expected):
            cell(methods={"plain": {"slop": 3}})

    def test_an_unknown_setting_by_hand_names_the_nearest(self):
        with pytest.raises(UnknownNameError, match="unknown setting of toy/fit 'pionts'; did you mean 'points'"):
            cell(overrides={"pionts": 3})

    @pytest.mark.parametrize("value", [True, float("nan"), float("inf")])
    def test_no_truth_value_nan_or_infinity_for_a_number(self, value):
        with pytest.raises(UserError, match=r"settings\.slope = "):
            cell(settings={"slope": value})

    def test_an_unknown_settings_model(self):
        with pytest.raises(UnknownNameError, match=r"experiments\.fit\.settings_model: 'Fits'; did you mean 'Fit'"):
            cell(settings_model="Fits")

    @pytest.mark.parametrize("runs", [0, -3])
    def test_runs_must_be_positive(self, runs):
        with pytest.raises(UserError, match=f"runs = {runs}: must be at least 1"):
            cell(runs=runs)

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"benchmark": "lin"}, "unknown benchmark of toy/fit at scale paper 'lin'; did you mean 'line'"),
            ({"benchmark": "line", "scale": "smoke"}, "at scale smoke 'line'; existing: bundled"),
            ({"method": "plane"}, "unknown method of toy/fit at scale paper 'plane'; did you mean 'plain'"),
            ({"scale": "papr"}, "unknown scale 'papr'; did you mean 'paper'"),
        ],
    )
    def test_unknown_names(self, arguments, message):
        with pytest.raises(UnknownNameError) as caught:
            cell(**arguments)
        assert message in str(caught.value)


class TestHash:
    SETTINGS = st.fixed_dictionaries(
        {
            "points": st.integers(1, 4),
            "slope": st.sampled_from([1.0, 1.0000000000000002, 2.0]),
            "kind": st.sampled_from(["normal", "uniform"]),
            "widths": st.lists(st.integers(1, 3), min_size=1, max_size=2),
        }
    )

    @given(SETTINGS, SETTINGS, st.integers(1, 99), st.integers(1, 99))
    def test_equal_exactly_where_the_settings_are(self, a, b, runs_a, runs_b):
        """Any setting changes it; the number of repetitions does not."""
        first, second = cell(settings=a, runs=runs_a), cell(settings=b, runs=runs_b)
        assert (first.settings_hash == second.settings_hash) == (a == b)

    @given(SETTINGS)
    def test_no_other_cells_settings_enter(self, settings):
        changed = cell(
            benchmarks={"line": {}, "curve": settings},
            methods={"plain": {}, "noisy": settings},
            scales=EXPERIMENT["scales"] | {"smoke": EXPERIMENT["scales"]["smoke"] | {"settings": settings}},
        )
        assert changed.settings_hash == cell().settings_hash

    @given(SETTINGS)
    def test_the_layer_a_setting_stands_in_does_not_matter(self, settings):
        layered = cell(methods={"plain": settings})
        assert layered.settings_hash == cell(overrides=settings).settings_hash == cell(settings=settings).settings_hash

    def test_equal_numbers_written_differently(self):
        """YAML reads 1e-3 as text, 0.001 as a number."""
        assert cell(settings={"slope": "1e-3"}).settings_hash == cell(settings={"slope": 0.001}).settings_hash
        assert cell(settings={"slope": 2}).settings_hash == cell(settings={"slope": 2.0}).settings_hash

    def test_names_and_function_enter(self):
        cells = [cell(), cell("curve", benchmarks=["line", "curve"]), cell(methods=["other"], method="other")]
        cells.append(cell(function="fit_again"))
        assert len({each.settings_hash for each in cells}) == 4

    def test_an_alias_of_the_scale_is_the_same_cell(self):
        assert cell(scale="quick") == cell(scale="paper")

    @pytest.mark.parametrize(
        "whole, expected",
        [
            ("line", ["line/plain", "line/noisy"]),
            ("plain", ["line/plain", "curve/plain"]),
            ("line/plain", ["line/plain"]),
        ],
    )
    def test_a_whole_cell_is_the_papers(self, whole, expected):
        """Some cells may run the paper's protocol where the others are cut."""
        quick = {"runs": 3, "cut": "3 runs", "settings": {"points": 5}, "whole": [whole]}
        scales = EXPERIMENT["scales"] | {"quick": quick}
        for benchmark, method in product(("line", "curve"), ("plain", "noisy")):
            found = cell(benchmark, scale="quick", method=method, scales=scales)
            if f"{benchmark}/{method}" in expected:
                assert found == cell(benchmark, scale="paper", method=method, scales=scales)
            else:
                assert found.path("") == Path(f"results/run/quick/toy/fit/{benchmark}/{method}.parquet")

    def test_golden_value(self):
        """Shipped runs are recognised by it for ever. Computed with sha256sum from one line without a line's end:

        {"cell": "toy/fit/line/plain", "function": "fit", "settings":
         {"kind": "normal", "points": 7, "slope": 1.0, "widths": [50]}}
        """
        assert cell().settings_hash == "78ca178213fd758d"


class TestPaths:
    def test_run_and_reference(self):
        below = "paper/toy/fit/line/plain.parquet"
        assert cell().path("/r") == Path("/r/results/run", below)
        assert cell(scale="quick").path("/r", "reference") == Path("/r/results/reference", below)

    @given(
        st.dictionaries(
            st.sampled_from(["kind", "points", "slope"]),
            st.one_of(st.text(max_size=300), st.floats(), st.lists(st.integers(), max_size=3)),
            min_size=1,
        ),
        st.sampled_from(["run", "reference"]),
    )
    def test_an_ablation_stays_in_its_own_folder_whatever_is_set(self, overrides, source):
        told = tuple(f"{key}={value}" for key, value in sorted(overrides.items()))
        ablation = Cell("toy", "fit", "line", "plain", "paper", 25, Settings(), "fit", told)
        path = ablation.path("/r", source)
        assert path.parts[:4] == ("/", "r", "results", "ablation")
        assert path.parts[5:] == ("paper", "toy", "fit", "line", "plain.parquet")
        assert ".." not in path.parts
        assert len(path.parts[4].encode()) < 255

    @pytest.mark.parametrize("kind", ["../../../reference", "a/b", "..", "a b", "[red]"])
    def test_hostile_values(self, kind):
        path = cell(overrides={"kind": kind}).path("/r")
        assert path.resolve().is_relative_to("/r/results/ablation")
        assert path.parts[5] == "paper"

    def test_different_ablations_have_different_folders(self):
        values = ["a b", "a_b", "a/b", "a:b", "x" * 300, "x" * 301]
        assert len({cell(overrides={"kind": value}).path("/r") for value in values}) == len(values)
        assert cell(overrides={"points": 3}).path("/r").parts[4] == "points=3"


@given(st.integers(1, 120))
def test_shards_are_blocks_of_ten_that_cover_every_repetition_once(runs):
    shards = cell(runs=runs).shards()
    assert [run for shard in shards for run in shard] == list(range(runs))
    assert all(shard.start % 10 == 0 and len(shard) == 10 for shard in shards[:-1])
    assert shards[: runs // 10] == cell(runs=runs + 10).shards()[: runs // 10]
    on_a_device = cell(runs=runs).shards("cuda:1")
    assert [run for shard in on_a_device for run in shard] == list(range(runs))
    assert all(len(shard) == 50 for shard in on_a_device[:-1])


def test_expand_gives_the_grid_of_the_scale():
    def names(scale: str) -> list[str]:
        return [f"{each.benchmark}/{each.method}" for each in expand(paper(), "fit", scale)]

    assert names("paper") == names("quick") == ["line/plain", "line/noisy", "curve/plain", "curve/noisy"]
    assert names("smoke") == ["bundled/plain", "bundled/noisy"]
