"""Tables as CSV, Markdown, LaTeX and for the terminal: the same content in each, nothing lost, nothing broken."""

import csv
import html
import io
import math
import random
import re
from dataclasses import replace

import pandas as pd
import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from core.report.tables.compare import compare_table, spec_table
from core.report.tables.table import WEAKENED, ReportCell, ReportTable, notes, row_lines, shared_notes, show
from core.report.tables.text import CSV_COLUMNS, _paragraph, to_csv, to_markdown, to_rich, to_rst, to_tex
from core.report.verdicts.cells import Verdict
from core.report.verdicts.published import Published, PublishedCell


def number(text, spread="0.5", kind="sd", runs=10, reading="number"):
    return PublishedCell(float(text), float(spread), kind, runs, reading, text, spread, "Table 1", "as printed")


@pytest.fixture(scope="module")
def table():
    published = Published(
        {
            ("sghmc", "boston"): number("-3.50", "0.50", "unstated"),
            ("sghmc", "a_b & c|d"): number("-2.0"),
            ("adaptive_sghmc", "boston"): number("-3.1"),
            ("adaptive_sghmc", "a_b & c|d"): PublishedCell(math.nan, reading="illegible", text="illegible"),
            ("vi", "boston"): number("-2.903", "0.071"),
            ("vi", "a_b & c|d"): number("-3.439"),
        }
    )
    rows = [("sghmc", "boston", run, -3.5 + 0.1 * run, "ok") for run in range(-2, 3)]
    rows += [("sghmc", "a_b & c|d", run, 1.0 / 3, "ok" if run else "failed") for run in range(4)]
    samples = pd.DataFrame(rows, columns=["row", "column", "run", "value", "status"])
    return compare_table(
        samples, published, "higher", True, quoted_rows=["vi"], title="Table 1", metric="Log-likelihood", caption="Note"
    )


def test_lines_of_a_cell(table):
    boston, other = row_lines(table, "sghmc")
    assert boston.ours == "−3.50 ± 0.16" and boston.published == "−3.50 ± 0.50"
    assert boston.verdict == "✓ reproduced, +0.0 sd" and boston.extra == "reduced; if sem: ? inconclusive"
    assert other.verdict == "▼ worse" and other.extra == "reduced; 1 of 4 runs failed"
    missing, illegible = row_lines(table, "adaptive_sghmc")
    assert missing.ours == "–" and missing.verdict == "○ not run" and illegible.published == "illegible"
    assert row_lines(table, "vi")[0] == ("", "−2.903 ± 0.071", "", "")


def test_numbers_are_shown_as_in_print():
    assert show(-0.5, ".2f") == "−0.50" and show(1234567.0, ".2f") == "1.23e+06" and show(math.nan, ".2f") == "nan"
    assert show(-math.inf, ".2f") == "−inf"


def test_csv_has_every_digit_and_one_line_a_cell(table):
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert tuple(rows[0]) == CSV_COLUMNS and len(rows) == 6
    first = rows[0]
    cell = table.cells["sghmc", "boston"]
    for name in ("difference", "difference_in_sd", "low", "high"):
        assert float(first[name]) == getattr(cell.verdict, name)
    assert float(first["ours"]) == cell.ours and float(first["sd"]) == cell.sd and first["runs"] == "5"
    assert first["published"] == "-3.50" and first["published_spread"] == "0.50"
    assert (first["published_spread_kind"], first["published_runs"]) == ("unstated", "10")
    assert (first["verdict"], first["verdict_if_sem"], first["reduced"]) == ("reproduced", "inconclusive", "True")
    assert (first["source"], first["published_note"]) == ("Table 1", "as printed")
    assert rows[1]["column"] == "a_b & c|d" and rows[1]["failed"] == "1" and rows[4]["verdict"] == "quoted"


def test_markdown_is_a_rectangular_table(table):
    lines = [line for line in to_markdown(table, "Scale paper").splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert widths == {4} and len(lines) == 5
    assert "a_b & c\\|d" in lines[0] and "published −3.50 ± 0.50<br>✓ reproduced" in lines[2]
    assert "quoted −2.903 ± 0.071" in lines[4]
    assert to_markdown(table, "Scale paper").endswith("Log-likelihood; higher is better. Note. Scale paper.\n")


HOSTILE = [
    "a\\|b", "a|b", "|", "\\", "a\\", "\\\\|", "`a`", "``", "`a\\`|", "*a*", "a*b*c", "* a", "A* search",
    "**a**", "_a_",
    "![x](http://tracker/p.png)", "[y](javascript:alert(1))", "[y][z]", "[y]: http://x", "[^1]", 'x [a](b "c") y',
    "<img src=x>", "<http://x>", "&lt;b&gt;", "&#60;", "&amp", "AT&T; x", "__init__", "least_squares",
    "a_", "~~a~~", "~a~",
    "a\nb", "a\r\n| --- |", "a\x1b[31mb", "a\u2028b", "a\u202eb", "[3, 25]", "exp[-a]", "# a", "> a", "1. a",
    "- a", "+ a",
    "=a", "-a", "2) b", "    a",
]  # fmt: skip


def named(name):
    samples = pd.DataFrame([(name, name, 0, 1.0, "ok")], columns=["row", "column", "run", "value", "status"])
    return compare_table(samples, None, "higher", False, [name], [name], title=name, caption=name, row_header=name)


def random_names():
    draw = random.Random(0)
    return ["".join(draw.choices("\\|[]()!<>&;*_~`#ab \n", k=draw.randint(1, 12))) for _ in range(400)]


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_name_is_markdown_shows_it_and_nothing_else(name):
    """As a reader of Markdown that is not ours has it; what is no printed character is a blank."""
    shown = " ".join("".join(each if each.isprintable() else " " for each in name).split())
    assert read_back(to_markdown(named(name), name)) == [shown, shown, shown, shown, "1.00 – not published"]
    assert read_back(f"{to_markdown(named('x'))}\n{_paragraph(name)}", "p")[-1] == shown


def test_random_names_leave_a_table_rectangular_and_without_markup():
    for name in filter(str.strip, random_names()):
        shown = " ".join(name.split())
        assert read_back(to_markdown(named(name), name))[1:4] == [shown] * 3
        assert read_back(f"x\n\n{_paragraph(name)}", "p")[-1] == shown


def read_back(text, tags="strong|t[hd]"):
    """The texts in a page of Markdown that has no markup but that of a table."""
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text).replace("<br>", " ")
    assert set(re.findall(r"<(\w+)", page)) <= {"p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    found = [text for _, text in re.findall(rf"<({tags})(?: [^>]*)?>(.*?)</(?:{tags})>", page, re.DOTALL)]
    return [" ".join(html.unescape(text).split()) for text in found]


def test_random_names_leave_tex_balanced():
    for name in [*HOSTILE, *filter(str.strip, random_names()), "%", "a\n\nb", "#1", "$x", "{", "x^2~_"]:
        text = to_tex(named(name), name)
        assert re.search(r"\n\n", text) is None
        bare = re.sub(r"\\[a-zA-Z]+\{\}|\\.|\$[^$]*\$", "", text.partition("\n")[2])
        assert bare.count("{") == bare.count("}") and not set("$#%^~") & set(bare), name
        rows = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
        assert all(len(re.findall(r"(?<!\\)&", row)) == 2 and not row.startswith(("[", "*")) for row in rows)


def test_no_name_commands_a_terminal():
    console = Console(file=io.StringIO(), width=200)
    for name in ("a\x1b]0;title\x07b", "a\x1b[2Jb", "a\rb", "a\x9b31mb", "[red]a[/]", "a\\"):
        console.print(to_rich(named(name), name))
    text = console.file.getvalue()
    assert set(text) - {"\n"} == {each for each in text if each.isprintable()}
    assert "[red]a[/]" in text and "a\\" in text


def test_csv_keeps_any_name():
    for name in [*HOSTILE, "=1+1", '"', ","]:
        assert next(csv.DictReader(io.StringIO(to_csv(named(name)), newline="")))["row"] == name


def test_tex_is_balanced_escaped_and_rectangular(table):
    text = to_tex(table, "100% done", "table1")
    assert text.count("\\begin{") == text.count("\\end{") == 2
    assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {3}
    assert "a\\_b \\& c|d" in text and "100\\% done" in text and "\\label{tab:table1}" in text
    assert "$-$3.50 $\\pm$ 0.50" in text and "$\\blacktriangledown$ worse" in text
    assert re.findall(r"[^\x00-\x7f]", text) == []


def test_terminal_shows_every_cell(table):
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(to_rich(table, "[not markup]"))
    shown = console.export_text()
    for words in (
        "−3.50±0.16",
        "published −3.50±0.50",
        "✓ reproduced",
        "+0.0 sd",
        "▼ worse",
        "○ not run",
        "[not markup]",
    ):
        assert words in shown
    assert "quoted −2.903±0.071" in shown and "adaptive SGHMC" in shown


def test_what_is_all_equal_is_said_once():
    published = Published(
        {("rate", c): PublishedCell(math.nan, reading="text", text=t) for c, t in (("a", "1"), ("b", "2"))}
    )
    same = spec_table(pd.DataFrame({"a": ["1"], "b": ["2"]}, index=["rate"]), published)
    assert [line.published for line in row_lines(same, "rate")] == ["", ""]
    other = spec_table(pd.DataFrame({"a": ["1"], "b": ["3"]}, index=["rate"]), published)
    assert [line.published for line in row_lines(other, "rate")] == ["1", "2"]
    assert [line.verdict for line in row_lines(other, "rate")] == ["≡ as configured", "≠ differs"]
    ours_only = spec_table(pd.DataFrame({"a": ["1"], "b": ["2"], "c": ["x"]}, index=["rate"]), published)
    assert row_lines(ours_only, "rate")[2][:3] == ("x", "absent", "≠ differs")


def test_far_away_and_unmeasurable_differences():
    def verdict_line(in_sd):
        verdict = Verdict("worse", -1.0, in_sd, -2.0, -0.5)
        table = ReportTable(("r",), ("c",), {("r", "c"): ReportCell(verdict=verdict)})
        return row_lines(table, "r")[0].verdict

    assert verdict_line(-345.6) == "▼ worse, −346 sd"
    assert verdict_line(-0.04) == "▼ worse, +0.0 sd"
    assert verdict_line(-math.inf) == "▼ worse, −inf sd"
    assert verdict_line(math.nan) == "▼ worse"


def test_a_cell_without_a_verdict_shows_ours_and_a_derived_number_says_so():
    quoted = PublishedCell(2.5, text="2.5", note="derived: 5 / 2")
    cells = {("rate", "x"): ReportCell(2.25, 0.00003, 4, published=quoted), ("rate", "y"): ReportCell(published=quoted)}
    first, second = row_lines(ReportTable(("rate",), ("x", "y"), cells, format=".4g"), "rate")
    assert first == ("2.25 ± 0.00", "2.5 (derived)", "", "") and second == ("", "2.5 (derived)", "", "")


@pytest.mark.parametrize(("sd", "shown"), [(2.939e-05, "0.0001521 ± 0.0000294"), (1e-3, "0.0001521 ± 0.001")])
def test_a_spread_has_no_exponent_that_its_mean_has_not(sd, shown):
    cell = ReportCell(0.0001521, sd, 4, verdict=Verdict("worse"))
    assert row_lines(ReportTable(("a",), ("x",), {("a", "x"): cell}, format=".4g"), "a")[0].ours == shown


def test_a_better_baseline_is_explained_under_the_table(table):
    assert WEAKENED not in notes(table, "")
    key, cell = next(iter(table.cells.items()))
    better = replace(cell, verdict=replace(cell.verdict, kind="better", baseline=True))
    assert notes(replace(table, cells={**table.cells, key: better}), "Scale quick.").endswith(
        f"{WEAKENED} Scale quick."
    )


def test_what_diverged_says_so_in_words():
    printed = PublishedCell(math.nan, None, "none", 10, "nan", "nan", "")
    cell = ReportCell(math.nan, math.nan, 3, 3, published=printed, verdict=Verdict("reproduced"))
    (line,) = row_lines(ReportTable(("sghmc",), ("yacht",), {("sghmc", "yacht"): cell}), "sghmc")
    assert (line.ours, line.published) == ("diverged", "diverged (printed nan)")


def test_a_note_of_many_cells_is_written_once():
    rows = tuple("abcde")
    cells = {(row, "x"): ReportCell(1.0, runs=3, verdict=Verdict("outside", note="other targets")) for row in rows}
    cells["e", "x"] = ReportCell(1.0, runs=3, verdict=Verdict("outside", note="other targets; half as long"))
    table = ReportTable(rows, ("x",), cells, direction="lower")
    assert [row_lines(table, row)[0].extra for row in ("a", "e")] == ["(a)", "half as long; (a)"]
    assert shared_notes(table) == ["Each number: ◇ outside.", "(a) other targets."]
    assert to_markdown(table).count("other targets") == to_tex(table).count("other targets") == 1


def test_a_verdict_stands_once_if_all_cells_have_it_and_in_each_otherwise():
    outside = ReportCell(1.0, runs=3, verdict=Verdict("outside", reduced=True))
    table = ReportTable(tuple("abcd"), ("x",), {(row, "x"): outside for row in "abcd"}, direction="lower")
    assert row_lines(table, "a")[0][2:] == ("", "") and shared_notes(table) == ["Each number: ◇ outside; reduced."]
    few = replace(table, rows=tuple("abc"), cells={(row, "x"): outside for row in "abc"})
    one = {**table.cells, ("d", "x"): ReportCell(1.0, runs=3, verdict=Verdict("not run"))}
    for other in (few, replace(table, cells=one)):
        assert row_lines(other, "a")[0][2:] == ("◇ outside", "reduced") and shared_notes(other) == []


def test_a_long_note_does_not_widen_its_column():
    long = "networks that are smaller, on images that are smaller, and fewer of them"
    cells = {("a", "x"): ReportCell(1.0, runs=3, verdict=Verdict("outside", note=long))}
    table = ReportTable(("a",), ("x",), cells, direction="lower")
    assert row_lines(table, "a")[0].extra == "(a)" and shared_notes(table) == [f"(a) {long}."]


def test_a_turned_table_has_its_columns_below_each_other_and_the_same_csv(table):
    turned = replace(table, turned=True)
    assert to_csv(turned) == to_csv(table)
    lines = to_markdown(turned).splitlines()
    assert lines[2].startswith("|  | SGHMC | adaptive SGHMC | ") and lines[4].startswith("| boston | −3.50")


def test_text_for_snakemakes_report_has_no_markup():
    assert to_rst("a*b_c {x} `k`") == "a\\*b\\_c {{'{'}}x} \\`k\\`\n"
