"""The comparison page and the terminal summary, from sidecars alone."""

import base64
import io
import json
import math

import pytest
from rich.console import Console

from core.foundation.errors import UserError
from core.report.page.comparison import summary
from core.report.page.records import interval_text, load_sidecars, to_json, value_text
from core.report.page.rendering import cell_text, code_address
from core.report.page.summary import summary_of, tally
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import Check, both, judge, not_run, outside
from tests.core.report.page.made_sidecars import NAMES, PIXEL, Page, page_of, sidecar, table


@pytest.fixture
def figures(tmp_path):
    figures = tmp_path / "figures"
    holds = judge(Interval(0.5, 0.2, 0.9), lower=0, detail="a detail")
    records = [
        sidecar("alpha", "fig1", checks=[holds, not_run()]),
        sidecar("alpha", "table1", table(0.0), stale=["uci/boston/sghmc"]),
        sidecar("beta", "table2", table(5.0), missing=["uci/yacht/sghmc"]),
    ]
    for record in records:
        path = figures / record["paper"] / f"{record['artifact']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_json(record), encoding="utf-8")
    (figures / "alpha" / "fig1.png").write_bytes(PIXEL)
    return figures


def test_the_page_is_well_formed_and_links_what_it_shows(figures):
    page = Page(page_of(figures, load_sidecars(figures, NAMES)))
    text = " ".join(page.words)
    assert page.tags.count("article") == 3 and len(set(page.ids)) == len(page.ids)
    assert {"alpha", "beta", "alpha-table1", "alpha-c0", "alpha-c1"} <= set(page.ids)
    assert {
        "alpha/fig1.png", "alpha/fig1.pdf", "../papers/alpha/README.md", "../core/foundation/errors.py#L3", "#alpha-c0",
        "../results/reference/paper/alpha/uci/boston/sghmc.parquet",
    } <= set(page.links)  # fmt: skip
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    for words in ("0.0 ± 1.0", "✓ reproduced", "▼ worse, +5.0 sd", "▲ better", "A < B & C <script>", "[0.2, 0.9]"):
        assert words in text
    for words in ("A less B, below 0.", "a detail", "0123456789+changes", "50 runs", "uci: Yacht, SGHMC", "quoted"):
        assert words in text
    assert "snakemake --config runs=run scale=quick -- figures/own/alpha/table1.pdf" in text
    assert "0.1 of these falsely worse" in text  # 2.5% of the two tested cells


def test_pictures_are_linked_or_embedded(figures):
    sidecars = load_sidecars(figures, NAMES)
    embedded = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    assert embedded not in page_of(figures, sidecars)
    assert embedded in Page(page_of(figures, sidecars, embedded=True)).links


def test_own_runs_stand_beside_the_shipped_ones(figures):
    shipped, own = judge(Interval(0.5, 0.2, 0.9), lower=0), judge(Interval(-0.7, -0.8, -0.6), lower=0)
    both_drawn = [sidecar("alpha", "table1", table(shift), [check]) for shift, check in ((0.0, shipped), (5.0, own))]
    sidecars, others = ([json.loads(to_json(record))] for record in both_drawn)
    text = " ".join(" ".join(Page(page_of(figures, sidecars, others)).words).split())
    for words in ("✓ holds (shipped runs)", "▼ fails (your own runs)", "own runs", "▼ worse, +5.0 sd"):
        assert words in text
    assert "your own runs" not in page_of(figures, sidecars)


def test_cells_and_code_are_named_for_readers(tmp_path):
    assert cell_text("uci/boston/adaptive_sghmc") == "uci: Boston housing, adaptive SGHMC"
    assert code_address("papers/a/claims/b.py, line 12, it_falls", tmp_path) == "papers/a/claims/b.py#L12"
    (tmp_path / "claims.yaml").write_text("fig1:\n  it_rises:\n    x: 1\n  it_falls:\n    x: 2\n")
    assert code_address("claims.yaml: fig1.it_falls", tmp_path) == "claims.yaml#L4"


def test_page_without_artifacts(tmp_path):
    assert "Nothing has been drawn yet" in page_of(tmp_path / "figures", [])


def test_tables_come_before_figures(figures):
    assert [s["artifact"] for s in load_sidecars(figures, NAMES)] == ["table1", "fig1", "table2"]


def test_sidecars_of_what_is_no_artifact_any_more_are_left_out(figures):
    assert [s["artifact"] for s in load_sidecars(figures, NAMES[1:])] == ["table1", "table2"]


def test_tally_counts_verdicts_and_claims_but_not_quoted_cells(figures):
    summary = summary_of(load_sidecars(figures, NAMES))
    counts = summary.total
    assert counts.verdicts == {"reproduced": 1, "better": 2, "worse": 1}
    assert counts.claims == {"holds": 1, "not run": 1}
    assert (counts.reduced, counts.tested) == (4, 2) and counts.expected_false_worse == pytest.approx(0.05)
    assert summary.chance.startswith("Worse than published: 1 cells. 2 cells were tested")


def test_what_our_part_shows_and_why_a_claim_fails_stand_beside_the_outcome(figures):
    part = outside(judge(Interval(-0.5, -0.9, -0.2), lower=0), "a part")
    made = sidecar("alpha", "fig1", checks=[part])
    made["claims"][0] |= {"headline": "It is less", "cause": {"kind": "the paper", "evidence": "its own table"}}
    console = Console(width=300, file=io.StringIO(), record=True)
    for shown in summary([made]):
        console.print(shown)
    page = " ".join(Page(page_of(figures, [json.loads(to_json(made))])).words)
    for text in (console.export_text(), page):
        assert "outside; on our part: fails" in text and ": its own table" in text
    assert tally(made).on_our_part == {"fails": 1}


def test_the_outcome_on_the_authors_data_stands_beside_that_of_our_runs(figures):
    ours, theirs = judge(Interval(0.5, 0.2, 0.9), lower=0), judge(Interval(-0.7, -0.8, -0.6), lower=0)
    made = sidecar("alpha", "fig1", checks=[both(lambda: ours, lambda: theirs)])
    made = json.loads(to_json(made))
    console = Console(width=300, file=io.StringIO(), record=True)
    for shown in summary([made]):
        console.print(shown)
    page = " ".join(" ".join(Page(page_of(figures, [made])).words).split())
    for text in (console.export_text(), page):
        for words in ("[0.2, 0.9]", "✓ holds (our runs)", "[−0.8, −0.6]", "▼ fails (authors' data)"):
            assert words in text
    counts = tally(made)
    assert (counts.claims, counts.reproduced) == ({"holds": 1}, {"fails": 1})


def test_checks_of_the_code_are_shown_and_not_counted():
    check = Check("a", math.nan, math.nan, "holds")
    made = sidecar("alpha", "fig1", checks=[check])
    made["claims"] = [{**made["claims"][0], "kind": "check"}]
    assert not tally(made).claims
    console = Console(width=200, file=io.StringIO(), record=True)
    for part in summary([made]):
        console.print(part)
    assert "check of the code" in console.export_text()


def test_summary_prints_cells_claims_and_counts(figures):
    sidecars = load_sidecars(figures, NAMES)
    console = Console(width=200, file=io.StringIO(), record=True)
    for part in summary(sidecars):
        console.print(part)
    text = console.export_text()
    for words in ("▼ worse", "+5.0 sd", "quoted 3.0", "A < B & C <script> (Sec 1)", "alpha/table1", "1 ✓ 1 ○", "all"):
        assert words in text
    many = summary([*sidecars] * 3)
    assert len(many) == 2 and many[0].row_count == 10


def test_values_in_words():
    assert value_text("nan") == "–" and value_text(0.123456) == "0.1235" and value_text("3 of 4") == "3 of 4"
    assert value_text("-inf") == "−inf" and value_text(-2) == "−2"
    assert (
        interval_text({"low": "nan", "high": "nan"}) == "" and interval_text({"low": 1.0, "high": "inf"}) == "[1, inf]"
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 0}'])
def test_unreadable_sidecars_are_named(figures, text):
    (figures / "alpha" / "table1.json").write_text(text)
    with pytest.raises(UserError, match=r"alpha/table1.json: not a .*sidecar"):
        load_sidecars(figures, NAMES)
