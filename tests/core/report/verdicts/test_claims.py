"""Claims that are decorated functions, in the order of their modules, and what is wrong with one in a line."""

from __future__ import annotations

import math
import re

import pytest

from core.foundation.errors import UserError
from core.report.runs.frames import NotRunError
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import Check, judge
from core.report.verdicts.claim_tables import claims_about
from core.report.verdicts.claims import claim, run_check

HEAD = """from core.report import Check, Interval, claim, judge


"""
CLAIM = """@claim(artifact="table1", place="Table 1", sentence="The noisy method is above the plain one.", published=1)
def noisy_is_worse(results):
    '''The noisy method's mean,
    above 0.'''
    return judge(Interval(1.0, 0.5, 1.5), lower=0)
"""


@pytest.fixture
def write(toy, tmp_path):
    """Writes modules of the toy's claims/; returns the catalogue then."""

    def write(**texts: str):
        folder = tmp_path / "toypapers" / "toy" / "claims"
        folder.mkdir(exist_ok=True)
        for name, text in {"__init__": "", **texts}.items():
            (folder / f"{name}.py").write_text(text)
        return toy()

    return write


def test_claims_are_in_the_order_of_modules_and_definitions(write):
    second, third = (CLAIM.replace("noisy_is_worse", name) for name in ("a_second", "third"))
    figure = CLAIM.replace("noisy_is_worse", "falls").replace('artifact="table1"', 'artifact="fig1", kind="shape"')
    papers = write(
        curves=f"{HEAD}{CLAIM}\n\n{figure}\n\n{second}", tables=f"{HEAD}from {__name__} import math\n\n\n{third}"
    )
    first, *others = claims_about(papers.artifact("toy/table1"))
    assert [claim.id for claim in (first, *others)] == ["noisy_is_worse", "a_second", "third"]
    assert first.record == {
        "id": "noisy_is_worse",
        "artifact": "table1",
        "kind": "claim",
        "sentence": "The noisy method is above the plain one.",
        "place": "Table 1",
        "published": 1,
        "criterion": "The noisy method's mean, above 0.",
        "where": first.where,
        "headline": "",
        "cause": None,
    }
    assert [(claim.id, claim.kind) for claim in claims_about(papers.artifact("toy/fig1"))] == [("falls", "shape")]


def test_a_paper_without_the_folder_makes_no_claims(toy):
    assert claims_about(toy().artifact("toy/table1")) == []


def test_a_module_that_cannot_be_imported_is_named(write):
    papers = write(broken=f"{HEAD}import tourch\n{CLAIM}", whole=HEAD + CLAIM.replace("noisy", "other"))
    with pytest.raises(UserError, match=r"^toypapers/toy/claims/broken\.py, line 4: the Python package 'tourch'"):
        claims_about(papers.artifact("toy/table1"))


def test_a_module_that_cannot_be_read_is_named(write):
    papers = write(broken="def f(:\n", whole=HEAD + CLAIM)
    with pytest.raises(UserError, match=r"^toypapers/toy/claims/broken\.py, line 1: SyntaxError"):
        claims_about(papers.artifact("toy/table1"))


def test_a_claim_that_another_would_hide(write):
    """Python keeps the second function of a name, and nobody would miss the first."""
    papers = write(tables=f"{HEAD}{CLAIM}\n\n{CLAIM}")
    with pytest.raises(
        UserError, match=r"tables\.py, line 11, noisy_is_worse: two claims; allowed: one per function, each"
    ):
        claims_about(papers.artifact("toy/table1"))


def test_an_artifact_may_have_a_name_of_the_module(write):
    papers = write(tables=f'{HEAD}TABLE = "table1"\n\n\n' + CLAIM.replace('"table1"', "TABLE"))
    assert len(claims_about(papers.artifact("toy/table1"))) == 1
    assert claims_about(papers.artifact("toy/fig1")) == []


@pytest.mark.parametrize(
    "text, complaint",
    [
        (
            CLAIM.replace('"table1"', '"table9"'),
            "artifact = 'table9': not an artifact of this paper; did you mean",
        ),
        (
            CLAIM.replace('"table1"', '("table1", "fig1")'),
            "artifact = ('table1', 'fig1'); allowed: text, one art",
        ),
        (CLAIM.replace('place="Table 1"', 'place=""'), "place = ''; allowed: text, one place per claim"),
        (
            re.sub('sentence="[^"]*"', 'sentence="It wins."', CLAIM),
            "sentence = 'It wins.'; allowed: at least 10 char",
        ),
        (CLAIM.replace('place="', 'kind="guess", place="'), "kind = 'guess'; allowed: claim or shape"),
        (CLAIM.replace("(results)", "(results, level)"), "takes results, level; allowed: one parameter, results"),
        (CLAIM.replace("(results)", "()"), "takes nothing; allowed: one parameter, results"),
        (CLAIM.splitlines()[0] + "\n" + CLAIM, "two claims; allowed: one per function"),
    ],
)
def test_a_claim_that_is_not_valid_names_file_function_value_and_what_is_allowed(write, text, complaint):
    with pytest.raises(UserError, match=re.escape(complaint)) as caught:
        claims_about(write(tables=HEAD + text).artifact("toy/table1"))
    assert re.match(r"toypapers/toy/claims/tables\.py, line \d+, noisy_is_worse: ", str(caught.value))
    assert "\n" not in str(caught.value)


def test_a_name_that_two_claims_have(write):
    papers = write(curves=HEAD + CLAIM.replace("table1", "fig1"), tables=HEAD + CLAIM)
    expected = r"tables\.py, line 4, noisy_is_worse: .*curves\.py, line 4, noisy_is_worse has the same name; allowed"
    with pytest.raises(UserError, match=expected):
        claims_about(papers.artifact("toy/table1"))


def test_two_claims_of_one_function():
    mark = claim(artifact="table1", place="Table 1", sentence="It wins on both of them.", published="both")
    with pytest.raises(UserError, match="wins: two claims; allowed: one per function"):
        mark(mark(lambda_named_wins()))


def lambda_named_wins():
    def wins(results):
        return results

    return wins


def made(check):
    check.__name__ = "wins"
    return claim(artifact="table1", place="Table 1", sentence="It wins on both of them.", published="both")(check).claim


def test_run_check():
    good = judge(Interval(1, 0.5, 2), lower=0)
    assert run_check(made(lambda results: results), good) is good

    def missing(results):
        raise NotRunError("yacht/b")

    outcome = run_check(made(missing), None)
    assert outcome.holds == "not run" and outcome.detail == "yacht/b" and math.isnan(outcome.ours)
    for wrong in (True, Check(1, 1, 1, "yes")):
        with pytest.raises(UserError, match=r"test_claims\.py, line \d+, wins: must return a Check that is one of"):
            run_check(made(lambda results: results), wrong)
