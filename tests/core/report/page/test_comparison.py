"""The comparison page and the terminal summary, from sidecars alone."""

import base64
import io
import json
import math
from html.parser import HTMLParser

import pandas as pd
import pytest
from rich.console import Console

from core.errors import UserError
from core.report.page.comparison import load_sidecars, summary, write_page
from core.report.page.records import FORMAT, table_record, to_json
from core.report.page.rendering import render_page
from core.report.page.tally import chance_sentence, interval_text, tally, value_text
from core.report.statistics.bootstrap import Interval
from core.report.tables.table import compare_table
from core.report.verdicts.checks import Check, judge
from core.report.verdicts.outcomes import both, not_run, outside
from core.report.verdicts.published import Published, PublishedCell

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

NAMES = ["alpha/fig1", "alpha/table1", "beta/table2", "beta/table3"]


def table(shift):
    published = Published(
        {
            ("sghmc", "boston"): PublishedCell(0.0, 1.0, "unstated", 20, text="0.0", spread_text="1.0"),
            ("sghmc", "yacht"): PublishedCell(math.nan, reading="nan", text="nan"),
            ("vi", "boston"): PublishedCell(3.0, text="3.0"),
            ("vi", "yacht"): PublishedCell(4.0, text="4.0"),
        }
    )
    rows = [("sghmc", column, run, shift + run / 20, "ok") for column in ("boston", "yacht") for run in range(-10, 11)]
    samples = pd.DataFrame(rows, columns=["row", "column", "run", "value", "status"])
    return compare_table(samples, published, "lower", True, quoted_rows=["vi"])


def sidecar(paper, artifact, made=None, checks=(), **changes):
    claims = [
        {
            "id": "c", "artifact": artifact, "kind": "claim", "sentence": "A < B & C <script>", "place": "Sec 1",
            "published": 1.0, "criterion": "A less B, below 0.",
            **vars(check), "reduced": False, "headline": False, "cause": None,
        }
        for check in checks
    ]  # fmt: skip
    record = {
        "format": FORMAT, "paper": paper, "artifact": artifact, "title": f"Title of {artifact}",
        "kind": "table" if made else "figure", "comparison": "cells", "repeats": None, "document": "Thesis",
        "place": "Place", "caption": "Caption.", "provenance": "Scale paper.", "scale": "paper",
        "scales": {"uci": "paper"},
        "reduced": False, "runs": "50 runs", "commits": ["0123456789abcdef+changes"], "wall_seconds": 1.0, "cells": 2,
        "outdated": False, "stale": [], "missing": [], "files": [f"{artifact}.pdf"],
        "table": table_record(made) if made else None, "claims": claims,
    }  # fmt: skip
    return {**record, **changes}


@pytest.fixture
def figures(tmp_path):
    holds = judge(Interval(0.5, 0.2, 0.9), lower=0, detail="a detail")
    records = [
        sidecar("alpha", "fig1", checks=[holds, not_run()]),
        sidecar("alpha", "table1", table(0.0), stale=["uci/boston/sghmc"]),
        sidecar("beta", "table2", table(5.0), missing=["uci/yacht/sghmc"]),
    ]
    for record in records:
        path = tmp_path / record["paper"] / f"{record['artifact']}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(to_json(record), encoding="utf-8")
    (tmp_path / "alpha" / "fig1.png").write_bytes(PIXEL)
    return tmp_path


class Page(HTMLParser):
    """Checks nesting, and collects tags, attributes and text."""

    VOID = frozenset({"meta", "img", "br", "link", "input"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.links, self.words, self.ids = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_page_is_self_contained_and_well_formed(figures):
    path = write_page(figures, load_sidecars(figures, NAMES))
    assert path == figures / "comparison.html"
    page = Page(path.read_text(encoding="utf-8"))
    text = " ".join(page.words)
    assert "script" not in page.tags and page.tags.count("article") == 3
    assert all(link.startswith(("data:image/png;base64,", "#", "alpha/", "beta/")) for link in page.links)
    assert f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}" in page.links
    assert len(set(page.ids)) == len(page.ids) and {"alpha", "beta", "alpha-table1"} <= set(page.ids)
    for words in (
        "0.0 ± 1.0",
        "✓ reproduced",
        "▼ worse, +5.0 sd",
        "▲ better",
        "A < B & C <script>",
        "A less B, below 0.",
        "[0.2, 0.9]",
    ):
        assert words in text
    for words in ("a detail", "0123456789+changes", "50 runs", "uci/boston/sghmc", "uci/yacht/sghmc", "quoted"):
        assert words in text
    assert "0.1 of these falsely worse" in text  # 2.5% of the two tested cells
    assert "prefers-color-scheme: dark" in text


def test_page_without_artifacts(tmp_path):
    assert "Nothing has been drawn yet" in write_page(tmp_path, []).read_text()


def test_tables_come_before_figures(figures):
    assert [s["artifact"] for s in load_sidecars(figures, NAMES)] == ["table1", "fig1", "table2"]


def test_sidecars_of_what_is_no_artifact_any_more_are_left_out(figures):
    assert [s["artifact"] for s in load_sidecars(figures, NAMES[1:])] == ["table1", "table2"]


def test_the_page_marks_what_is_out_of_date(figures):
    words = "runs, numbers or code have changed since this was drawn"
    sidecars = load_sidecars(figures, NAMES)
    assert words not in write_page(figures, sidecars).read_text(encoding="utf-8")
    sidecars[0]["outdated"] = True
    assert write_page(figures, sidecars).read_text(encoding="utf-8").count(words) == 1


def test_tally_counts_verdicts_and_claims_but_not_quoted_cells(figures):
    counts = tally(load_sidecars(figures, NAMES))
    assert counts.verdicts == {"reproduced": 1, "better": 2, "worse": 1}
    assert counts.claims == {"holds": 1, "not run": 1}
    assert (counts.reduced, counts.tested) == (4, 2) and counts.expected_false_worse == pytest.approx(0.05)
    assert chance_sentence(counts).startswith("Worse than published: 1 cells. 2 cells were tested")


def test_what_our_part_shows_and_why_a_claim_fails_stand_beside_the_outcome(figures):
    part = outside(judge(Interval(-0.5, -0.9, -0.2), lower=0), "a part")
    made = sidecar("alpha", "fig1", checks=[part])
    made["claims"][0] |= {"headline": True, "cause": {"kind": "the paper", "evidence": "its own table says so"}}
    console = Console(width=300, file=io.StringIO(), record=True)
    for shown in summary([made]):
        console.print(shown)
    page = " ".join(Page(write_page(figures, [made]).read_text(encoding="utf-8")).words)
    for text in (console.export_text(), page):
        assert "outside; on our part: fails" in text and "the paper: its own table says so" in text
    assert tally([made]).on_our_part == {"fails": 1}


def test_the_outcome_on_the_authors_data_stands_beside_that_of_our_runs():
    ours, theirs = judge(Interval(0.5, 0.2, 0.9), lower=0), judge(Interval(-0.7, -0.8, -0.6), lower=0)
    made = sidecar("alpha", "fig1", checks=[both(lambda: ours, lambda: theirs)])
    made = json.loads(to_json(made))
    console = Console(width=300, file=io.StringIO(), record=True)
    for shown in summary([made]):
        console.print(shown)
    page = " ".join(" ".join(Page(render_page([made], {})).words).split())
    for text in (console.export_text(), page):
        for words in ("[0.2, 0.9]", "✓ holds (our runs)", "[−0.8, −0.6]", "▼ fails (authors' data)"):
            assert words in text
    counts = tally([made])
    assert (counts.claims, counts.reproduced) == ({"holds": 1}, {"fails": 1})


def test_checks_of_the_code_are_shown_and_not_counted():
    check = Check("a", math.nan, math.nan, "holds")
    made = sidecar("alpha", "fig1", checks=[check])
    made["claims"] = [{**made["claims"][0], "kind": "check"}]
    assert not tally([made]).claims
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
