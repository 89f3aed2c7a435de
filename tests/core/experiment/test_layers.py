"""Settings of a cell with a method: layers merge key by key, what the method lacks is an error, `--set` reaches it."""

from __future__ import annotations

from typing import Any

import pytest

from core.experiment.cells import Cell, make_cell
from core.experiment.paper import Paper, Papers
from core.experiment.schema import PaperSpec
from core.experiment.search_settings import SharedStart
from core.foundation.errors import UnknownNameError, UserError
from core.study.methods import one_of


class Search(SharedStart):
    method: one_of("random", "rf", "gp", "optuna_tpe")
    initial_design: int | None = 2
    noise: float = 0.0


EXPERIMENT = {
    "description": "a search",
    "function": "search",
    "settings_model": "Search",
    "benchmarks": {"line": {}, "curve": {"evaluations": 9}},
    "methods": {
        "random": {"method": "random"},
        "forest": {"method": {"method": "rf", "trees": 7}},
        "tpe": {"method": "optuna_tpe", "initial_design": None},
    },
    "settings": {"evaluations": 5},
    "scales": {
        "smoke": {"runs": 1, "cut": "less", "methods": {"random": None, "forest": {"method": {"trees": 2}}}},
        "quick": "paper",
        "paper": {"runs": 3},
    },
}
OF_PAPER = {"rf": {"trees": 30, "generations": 4, "acquisition": "pi"}}


def paper(of_paper: dict[str, Any], **changes) -> Paper:
    whole = {"paper": "toy", "title": "Toy", "citation": "nobody", "documents": {}, "quickstart": "search"}
    changes["methods"] = EXPERIMENT["methods"] | changes.get("methods", {})
    experiments = {"search": EXPERIMENT | changes}
    spec = PaperSpec.model_validate({**whole, "methods": of_paper, "experiments": experiments, "artifacts": {}})
    return Paper(spec, {"Search": Search}, Papers())


def cell(method="forest", scale="paper", overrides=None, of_paper=OF_PAPER, **changes) -> Cell:
    return make_cell(paper(of_paper, **changes), "search", "line", method, scale, overrides=overrides)


def refused(method="forest", **given) -> str:
    with pytest.raises(UserError) as caught:
        cell(method, **given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestLayers:
    def test_later_ones_win_key_by_key(self):
        """The paper's method, the experiment's layers, the scale's, and what is set by hand."""
        method = cell().settings.method
        assert (method.trees, method.generations, method.acquisition) == (7, 4, "pi")
        assert cell(scale="smoke").settings.method.trees == 2
        assert cell(scale="smoke").settings.method.generations == 4
        everywhere = {"evaluations": 5, "method": {"generations": 6, "trees": 6}}
        method = cell(settings=everywhere).settings.method
        assert (method.trees, method.generations) == (7, 6)
        assert cell(overrides={"trees": 1}).settings.method.trees == 1

    def test_a_papers_method_is_its_settings_wherever_it_is_used_and_no_others(self):
        assert cell("random").settings.method.own == {}
        assert cell(of_paper={}).settings.method.acquisition == "ei"

    def test_a_scale_chooses_methods_and_changes_single_ones(self):
        with pytest.raises(UnknownNameError, match="unknown method of toy/search at scale smoke 'tpe'"):
            cell("tpe", "smoke")
        assert cell("random", "smoke").settings.method.method == "random"


class TestRefused:
    @pytest.mark.parametrize(
        ("place", "given"),
        [
            ("experiments.search.settings.", {"settings": {"evaluations": 5, "method": {"trees": 5}}}),
            ("experiments.search.benchmarks.line.", {"benchmarks": {"line": {"method": {"trees": 5}}}}),
            (
                "experiments.search.methods.random.",
                {"methods": {"random": {"method": {"method": "random", "trees": 5}}}},
            ),
            (
                "experiments.search.scales.paper.settings.",
                {"scales": EXPERIMENT["scales"] | {"paper": {"runs": 3, "settings": {"method": {"trees": 5}}}}},
            ),
            (
                "experiments.search.scales.paper.methods.random.",
                {
                    "scales": EXPERIMENT["scales"]
                    | {"paper": {"runs": 3, "methods": {"random": {"method": {"trees": 5}}}}}
                },
            ),
            ("methods.random: ", {"of_paper": {"random": {"trees": 5}}}),
        ],
    )
    def test_what_the_method_lacks_names_the_layer_and_what_it_has(self, place, given):
        """No layer is left out for the methods that lack what it says."""
        message = refused("random", **given)
        assert (
            message == f"papers/toy/paper.yaml: {place}method.trees = 5: unknown key; method 'random' has no settings"
        )

    def test_what_is_mistyped_has_a_hint(self):
        message = refused(settings={"evaluations": 5, "method": {"tree": 5}})
        assert "method.tree = 5: unknown key; did you mean 'trees'? method 'rf' has acquisition, " in message

    def test_a_wrong_value_names_its_layer(self):
        message = refused(of_paper={"rf": {"trees": 0, "generations": 0}})
        assert message.startswith("papers/toy/paper.yaml: methods.rf: method.generations = 0: ")

    def test_a_method_that_the_experiment_does_not_admit(self):
        place = "papers/toy/paper.yaml: experiments.search.methods.random.method"
        message = refused("random", methods={"random": {"method": "bohb"}})
        assert message == f"{place}: method is 'bohb'; allowed: random, rf, gp, optuna_tpe"

    def test_a_cell_without_a_method(self):
        assert "search.settings.method: Field required" in refused("random", methods={"random": None})
        message = refused("random", methods={"random": {"method": {"trees": 3}}})
        assert message.endswith("method: method is None; allowed: random, rf, gp, optuna_tpe")

    def test_a_paper_names_methods_that_exist(self):
        with pytest.raises(ValueError, match=r"methods: unknown \['gpp'\], allowed \['ablr', "):
            paper({"gpp": {}})


class TestByHand:
    @pytest.mark.parametrize("key", ["trees", "method.trees"])
    def test_both_forms_reach_the_method_and_have_one_name(self, key):
        made = cell(overrides={key: 5})
        assert made.settings.method.trees == 5 and made.overrides == ("trees=5",)
        assert made.path("").parts[2] == "trees=5"

    def test_the_experiments_own_are_where_they_were(self):
        made = cell(overrides={"evaluations": 3, "trees": 5})
        assert made.settings.evaluations == 3 and made.overrides == ("evaluations=3", "trees=5")

    def test_what_neither_has_names_what_both_have(self):
        has = "method 'random' has no settings; the experiment has evaluations, initial_design, noise"
        for key in ("trees", "method.trees"):
            with pytest.raises(UserError) as caught:
                cell("random", overrides={key: 5})
            assert str(caught.value) == f"unknown setting of toy/search '{key}'; {has}"

    def test_a_mistyped_one_has_a_hint(self):
        message = refused(overrides={"tres": 5})
        assert message.startswith("unknown setting of toy/search 'tres'; did you mean 'trees'? method 'rf' has ")

    @pytest.mark.parametrize("key", ["method", "method.method"])
    def test_the_method_itself_is_the_cells(self, key):
        assert f"unknown setting of toy/search '{key}'" in refused(overrides={key: "random"})

    def test_one_setting_in_both_forms_is_refused(self):
        assert "the same setting" in refused(overrides={"trees": 5, "method.trees": 6})

    def test_a_wrong_value(self):
        assert refused(overrides={"trees": "many"}).startswith("--set method.trees = 'many': ")

    @pytest.mark.parametrize("key", ["initial_design", "method.initial_design"])
    def test_what_the_experiment_shares_among_its_methods_is_one_setting(self, key):
        made = cell(overrides={key: 3})
        assert made.settings.initial_design == made.settings.method.initial_design == 3
        assert made.overrides == ("initial_design=3",)

    def test_a_start_is_refused_where_the_method_starts_by_itself(self):
        with pytest.raises(UserError, match="initial_design = 3 with method 'optuna_tpe'; allowed: null"):
            cell("tpe", overrides={"initial_design": 3})
