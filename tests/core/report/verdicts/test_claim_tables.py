"""Tables of claims: what a row becomes, what its parts are, and what is wrong with one in a line."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from core.foundation.errors import UserError
from core.report.runs.frames import NotRunError
from core.report.verdicts.claim_tables import claims_about, claims_of
from core.report.verdicts.claims import Cause, run_check

SHAPES = '''"""Shapes of the toy's own."""

from core.report import Check, Interval, cell_rows, judge
from core.report.verdicts.shapes.shape import Benchmark, Experiments, Method, Methods, shape


@shape
def mean_value(results, benchmark: Benchmark, method: Method, above: float = 0.0, sd: float = 0.1) -> Check:
    "The mean value of a cell is above a limit."
    value = cell_rows(results.frame("fit"), benchmark, method)["value"].mean()
    return judge(Interval(value, value - sd, value + sd), lower=above, detail=f"{benchmark}/{method}")


@shape
def how_many(results, methods: Methods) -> Check:
    return judge(Interval.exact(len(methods)), lower=1.5)


@shape
def mean_of(results, runs: Experiments, above: float) -> Check:
    return judge(Interval.exact(results.frame(*runs)["value"].mean()), lower=above)
'''

ROW = """
table1:
  it_is_above:
    place: Table 1
    sentence: Both methods are above the limit.
    check: {mean_value: {benchmark: line, method: plain, above: 1}}
    published: above
"""


@pytest.fixture
def write(toy, tmp_path):
    """Writes tables of the toy, beside its module with shapes; returns the catalogue then."""

    def write(text: str, **tables: str):
        folder = tmp_path / "toypapers" / "toy" / "claims"
        folder.mkdir(exist_ok=True)
        (folder.parent / "checks.py").write_text(SHAPES)
        for name, content in {"claims": text, **tables}.items():
            (folder / f"{name}.yaml").write_text(content)
        return toy()

    return write


class Results:
    """Cells with a value each."""

    def __init__(self, **cells: dict[str, float]) -> None:
        rows = [(benchmark, method, value) for benchmark, own in cells.items() for method, value in own.items()]
        self._frame = pd.DataFrame(rows, columns=["benchmark", "method", "value"])

    def frame(self, experiment: str) -> pd.DataFrame:
        return self._frame


def checked(papers, **cells: dict[str, float]):
    """The check of the first claim."""
    return run_check(claims_of(papers.paper("toy"))[0], Results(**cells))


def test_a_row_is_a_claim_with_its_place_in_the_repository(write):
    cause = "    headline: It is above\n    cause: {kind: our code, evidence: seen in another run}\n"
    (made,) = claims_about(write(ROW + cause).artifact("toy/table1"))
    shown = (made.id, made.kind, made.headline, made.published)
    assert shown == ("it_is_above", "claim", "It is above", "above")
    assert made.cause == Cause(kind="our code", evidence="seen in another run")
    assert made.where == "toypapers/toy/claims/claims.yaml: table1.it_is_above"
    assert made.record == {
        "id": "it_is_above",
        "artifact": "table1",
        "kind": "claim",
        "sentence": "Both methods are above the limit.",
        "place": "Table 1",
        "published": "above",
        "criterion": "The mean value of a cell is above a limit.",
        "where": made.where,
        "headline": "It is above",
        "cause": {"kind": "our code", "evidence": "seen in another run"},
    }


def test_a_paper_without_tables_makes_no_claims(toy):
    assert claims_about(toy().artifact("toy/table1")) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("import tourch\n", "line 1: the Python package 'tourch'"), ("def f(:\n", "line 1: SyntaxError")],
)
def test_a_module_of_shapes_that_cannot_be_imported_is_named(write, tmp_path, text, complaint):
    papers = write(ROW)
    (tmp_path / "toypapers/toy/checks.py").write_text(text)
    with pytest.raises(UserError, match=rf"^toypapers/toy/checks\.py, {complaint}"):
        claims_about(papers.artifact("toy/table1"))


def test_the_criterion_is_that_of_the_row_or_of_its_shape(write):
    assert claims_of(write(ROW).paper("toy"))[0].criterion == "The mean value of a cell is above a limit."
    assert claims_of(write(f"{ROW}    criterion: Above 1.\n").paper("toy"))[0].criterion == "Above 1."


def test_a_row_may_say_itself_which_experiments_its_check_reads(write):
    assert claims_of(write(f"{ROW}    experiments: [fit]\n").paper("toy"))[0].experiments == ("fit",)


def test_claims_are_in_the_order_of_tables_and_rows(write):
    second, third = (ROW.replace("it_is_above", name) for name in ("a_second", "third"))
    papers = write(ROW + second.partition("table1:")[2], other=third)
    assert [each.id for each in claims_of(papers.paper("toy"))] == ["it_is_above", "a_second", "third"]


def test_a_table_is_among_the_files_that_drawings_are_made_from(write, tmp_path):
    assert tmp_path / "toypapers" / "toy" / "claims" / "claims.yaml" in write(ROW).paper("toy").files


def test_one_part_has_its_own_value_and_interval(write):
    check = checked(write(ROW), line={"plain": 1.5})
    assert (check.holds, check.ours, check.detail) == ("holds", 1.5, "line/plain")
    assert (check.low, check.high) == pytest.approx((1.4, 1.6))
    assert checked(write(ROW), line={"plain": 0.5}).holds == "fails"


def test_lists_are_parts_and_the_last_varies_fastest(write):
    papers = write(ROW.replace("line, method: plain", "[line, curve], method: [plain, noisy]"))
    check = checked(papers, line={"plain": 2, "noisy": 2}, curve={"plain": 2, "noisy": 0})
    assert (check.ours, check.holds) == ("3 of 4", "fails")
    assert check.detail == "line/plain; line/noisy; curve/plain; curve/noisy"


def test_a_row_reads_the_experiments_that_its_shapes_name(write):
    named = "mean_of: {runs: [fit], above: 1}"
    plain = "mean_value: {benchmark: line, method: plain, above: 1}"
    for check, experiments in ((plain, ()), (named, ("fit",)), (f"[{{{named}}}, {{{plain}}}]", ())):
        text = ROW.replace(f"{{{plain}}}", check if check.startswith("[") else f"{{{check}}}")
        claims = claims_of(write(text).paper("toy"))
        assert claims[0].experiments == experiments


def test_several_checks_are_parts_too_and_a_list_of_one_is_a_part(write):
    twice = "[{mean_value: {benchmark: line, method: plain}}, {mean_value: {benchmark: line, method: noisy, above: 1}}]"
    check = checked(write(re.sub(r"check: .*", f"check: {twice}", ROW)), line={"plain": 0.5, "noisy": 1.5})
    assert (check.ours, check.holds) == ("2 of 2", "holds")
    assert checked(write(ROW.replace("plain", "[plain]")), line={"plain": 2}).ours == "1 of 1"


def test_a_list_that_the_shape_takes_as_one_value_is_no_list_of_parts(write):
    check = checked(write(re.sub(r"check: .*", "check: {how_many: {methods: [plain, noisy]}}", ROW)))
    assert check.ours == 2 and check.holds == "holds"


def test_a_row_without_a_check_has_the_shape_of_its_own_name(write):
    own = re.sub(r"    check: .*\n", "", ROW).replace("it_is_above", "how_many")
    (claim,) = claims_of(write("defaults: {methods: [plain, noisy]}\n" + own).paper("toy"))
    assert claim.id == "how_many" and run_check(claim, Results()).ours == 2
    with pytest.raises(UserError, match=r"table1\.how_many: check\.how_many: methods: Field required"):
        claims_of(write(own).paper("toy"))


def test_a_whole_number_stays_one(write):
    (claim,) = claims_of(write(ROW.replace("published: above", "published: 300")).paper("toy"))
    assert claim.published == 300 and isinstance(claim.published, int)


def test_some_of_the_parts(write):
    some = ROW.replace("plain", "[plain, noisy]") + "    at_least: 1\n"
    assert checked(write(some), line={"plain": 2, "noisy": 0}).holds == "holds"
    assert checked(write(some), line={"plain": 0, "noisy": 0}).holds == "fails"


def test_a_reason_that_the_runs_cannot_show_it(write):
    check = checked(write(ROW + "    outside: only ours\n"), line={"plain": 2})
    assert (check.holds, check.part) == ("outside", "holds") and check.detail.endswith("only ours")


REPRODUCED = f"{ROW}    reproduced: {{benchmark: [curve]}}\n"


def test_the_authors_data_have_an_outcome_of_their_own(write):
    check = checked(write(REPRODUCED), line={"plain": 2}, curve={"plain": 0})
    assert (check.holds, check.ours, check.detail) == ("holds", 2, "line/plain")
    assert (check.reproduced.holds, check.reproduced.ours, check.reproduced.detail) == (
        "fails",
        "0 of 1",
        "curve/plain",
    )


def test_either_outcome_stands_alone(write):
    assert checked(write(REPRODUCED), line={"plain": 2}).reproduced is None
    check = checked(write(REPRODUCED), curve={"plain": 2})
    assert (check.holds, check.detail, check.reproduced.holds) == ("not run", "line/plain", "holds")
    assert checked(write(REPRODUCED)).holds == "not run"


def test_what_our_runs_cannot_show_the_authors_data_may(write):
    papers = write(f"{REPRODUCED}    outside: only ours\n")
    check = checked(papers, line={"plain": 2}, curve={"plain": 2})
    assert (check.holds, check.reproduced.holds) == ("outside", "holds")


def test_defaults_are_values_of_the_shapes_that_take_them(write):
    papers = write("defaults: {above: 3, methods: [plain, noisy]}\n" + ROW.replace(", above: 1", ""))
    assert checked(papers, line={"plain": 2}).holds == "fails"
    assert checked(write("defaults: {above: 3}\n" + ROW), line={"plain": 2}).holds == "holds"


def test_defaults_of_an_artifact_are_over_those_of_the_table_and_below_those_of_a_row(write):
    row = ROW.replace(", above: 1", "").replace("    place: Table 1\n", "")
    of_artifact = row.replace("table1:\n", "table1:\n  defaults: {place: Table 1, kind: shape, above: 1}\n")
    papers = write("defaults: {place: Section 1, above: 3}\n" + of_artifact)
    (claim,) = claims_of(papers.paper("toy"))
    assert (claim.place, claim.kind) == ("Table 1", "shape")
    assert checked(papers, line={"plain": 2}).holds == "holds"
    assert claims_of(write("defaults: {place: Section 1, above: 3}\n" + row).paper("toy"))[0].place == "Section 1"


BOTH = ROW.replace("benchmark: line", "benchmark: [line, curve]")


@pytest.mark.parametrize(
    "missing, value, holds, ours",
    [
        ("left out", 2, "holds", "1 of 1"),
        ("left out", 0, "fails", "0 of 1"),
        ("pending", 2, "inconclusive", "1 of 2"),
        ("pending", 0, "fails", "0 of 2"),
    ],
)
def test_a_benchmark_that_was_not_run(write, missing, value, holds, ours):
    check = checked(write(f"{BOTH}    missing: {missing}\n"), line={"plain": value})
    assert (check.holds, check.ours) == (holds, ours) and "curve" in check.detail
    assert checked(write(f"defaults: {{missing: {missing}}}\n{BOTH}"), line={"plain": value}).holds == holds
    assert checked(write(BOTH), line={"plain": value}).holds == "not run"


def test_no_benchmark_was_run(write):
    papers = write(f"{BOTH}    missing: left out\n")
    with pytest.raises(NotRunError, match="line/plain"):
        claims_of(papers.paper("toy"))[0].check(Results())
    assert checked(papers).holds == "not run"


def test_a_method_that_was_not_run_is_outside_if_it_is_optional(write):
    several = ROW.replace("plain", "[plain, noisy]")
    assert checked(write(f"{several}    missing: left out\n"), line={"plain": 2}).holds == "not run"
    check = checked(write(f"{several}    optional: [noisy]\n"), line={"plain": 2})
    assert check.holds == "outside" and "line: noisy not run" in check.detail
    assert checked(write(f"{several}    optional: [noisy]\n"), line={"plain": 0}).holds == "fails"


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("table1:", "table9:", "table9: not an artifact of this paper; did you mean 'table1'"),
        (
            "mean_value:",
            "mean_valu:",
            "table1.it_is_above: check = 'mean_valu': not a shape; did you mean 'mean",
        ),
        (
            "check: {mean_value: {benchmark: line, method: plain, above: 1}}",
            "kind: claim",
            "no check, and no shape has the",
        ),
        ("above: 1", "abov: 1", "table1.it_is_above: check.mean_value: abov = 1: unknown key; did you mean 'above'"),
        ("above: 1", "above: high", "check.mean_value: above = 'high': Input should be a valid number"),
        ("above: 1", "above: [1, true]", "check.mean_value: above = True: Input should be a number, not a boolean"),
        (", method: plain", "", "check.mean_value: method: Field required"),
        ("method: plain", "method: plane", "check.mean_value.method = 'plane': not a method of the artifact's experi"),
        (
            "line,",
            "[line, lime],",
            "check.mean_value.benchmark = 'lime': not a benchmark of the artifact's exp",
        ),
        (
            "place: Table 1",
            "plaice: Table 1",
            "table1.it_is_above: plaice = 'Table 1': unknown key; did you mean ",
        ),
        ("Both methods are above the limit.", "Above.", "sentence = 'Above.': String should have at least 10 charac"),
        ("published: above", "kind: guess", "kind = 'guess': Input should be 'claim', 'shape' or 'check'"),
        (
            "published: above",
            "cause: {kind: fate, evidence: seen often}",
            "cause.kind = 'fate': Input should be 'reduced ",
        ),
        ("check: {", "check: {how_many: {}, ", "allowed: a shape and its values, or a list of such"),
        (
            "published: above",
            "published: above\n    at_least: 2",
            "at_least = 2; allowed: at most the number of parts",
        ),
        (
            "published: above",
            "published: above\n    missing: ignored",
            "missing = 'ignored': Input should be 'left ",
        ),
        (
            "  it_is_above:",
            "  it_is_above: true\n  that:",
            "table1.it_is_above = True; allowed: a mapping with keys",
        ),
        (
            "published: above",
            "published: above\n    reproduced: {benchmark: lime}",
            "it_is_above: reproduced: check.mean_value.benchmark = 'lime': not a benchmark of the artifact's exp",
        ),
        (
            "published: above",
            "published: above\n    reproduced: {bench: line}",
            "it_is_above: reproduced: check.mean_value: bench = 'line': unknown key; did you mean 'benchmark'",
        ),
        ("table1:", "table1: []\nfig1:", "table1 = []; allowed: a mapping with claims"),
        ("table1:", "defaults: {seeds: 1}\ntable1:", "defaults.seeds = 1: no shape has such a value"),
        ("table1:", "table1:\n  defaults: {seeds: 1}", "table1.defaults.seeds = 1: no shape has such a value"),
    ],
)
def test_what_is_wrong_with_a_row_is_one_line(write, old, new, complaint):
    assert ROW.count(old) == 1
    with pytest.raises(UserError, match=re.escape(complaint)) as caught:
        claims_of(write(ROW.replace(old, new)).paper("toy"))
    assert str(caught.value).startswith("toypapers/toy/claims/claims.yaml: ") and "\n" not in str(caught.value)


def test_a_name_that_two_claims_have(write):
    with pytest.raises(UserError, match=r"fig1\.it_is_above: .*claims\.yaml: table1\.it_is_above has the same name"):
        claims_of(write(ROW + ROW.replace("table1", "fig1")).paper("toy"))


def test_a_shape_of_the_paper_may_not_hide_a_shared_one(write, tmp_path):
    papers = write(ROW)
    file = tmp_path / "toypapers" / "toy" / "checks.py"
    file.write_text(SHAPES.replace("def how_many", "def lower_than"))
    with pytest.raises(UserError, match=r"checks\.py, line \d+, lower_than: .*searches\.py.* has the same name"):
        claims_of(papers.paper("toy"))
