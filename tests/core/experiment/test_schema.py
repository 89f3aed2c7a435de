"""paper.yaml: what is refused, and whether the message names the file, the key, the value and what is allowed."""

from __future__ import annotations

import re

import pytest

from core.foundation.errors import UserError


def refused(papers, path) -> str:
    """The one-line message for a paper.yaml that is not valid, which names the file."""
    with pytest.raises(UserError) as caught:
        papers().paper("toy")
    message = str(caught.value)
    assert "\n" not in message
    assert str(path.relative_to(path.parents[2])) in message
    return message


@pytest.mark.parametrize(
    "old, new, expected",
    [
        # wrong types
        ("runs: 3,", "runs: three,", "experiments.fit.scales.quick.runs = 'three': Input should be a valid integer"),
        ("runs: 3,", "runs: yes,", "experiments.fit.scales.quick.runs = True: Input should be a number"),
        ("runs: 3,", "runs: 2.5,", "experiments.fit.scales.quick.runs = 2.5: Input should be a valid integer"),
        ("runs: 3,", "runs: [3],", "experiments.fit.scales.quick.runs = [3]: Input should be a valid integer"),
        (
            "cut: 3 runs}",
            "cut: 3 runs, whole: [lyne/plain]}",
            "scales.quick.whole: unknown ['lyne/plain'], allowed: a benchmark, a method, or benchmark/method",
        ),
        ("{runs: 3, cut: 3 runs}", "7", "experiments.fit.scales.quick = 7: Input should be a valid dictionary"),
        ("methods: [plain]", "methods: plain", "count.methods = 'plain': Input should be a list of names or a mapping"),
        (
            "methods: [plain]",
            "methods: [{plain: 3}]",
            "count.methods = [{'plain': 3}]: Input should be a list of names",
        ),
        ("methods: [plain]", "methods: {plain: 0}", "count.methods.plain = 0: Input should be a valid dictionary"),
        (
            "title: Means of draws",
            "title: [Means]",
            "artifacts.table1.title = ['Means']: Input should be a valid string",
        ),
        # out of range
        ("runs: 3,", "runs: 0,", "experiments.fit.scales.quick.runs = 0: Input should be greater than 0"),
        ("kind: table", "kind: tabel", "artifacts.table1.kind = 'tabel': Input should be 'table' or 'figure'"),
        ("comparison: cells", "comparison: none", "artifacts.table1.comparison = 'none': Input should be 'cells'"),
        ("methods: [plain]", "methods: []", "experiments.count.methods: Dictionary should have at least 1 item"),
        ("[bundled]", "[]", "fit.scales.smoke.benchmarks: Dictionary should have at least 1 item"),
        ("benchmarks: [line]", "benchmarks: [a/b]", "count.benchmarks.a/b.[key] = 'a/b': String should match pattern"),
        ("benchmarks: [line]", "benchmarks: [..]", "count.benchmarks....[key] = '..': String should match pattern"),
        # unknown and missing keys
        ("quickstart: fit", "quikstart: fit", "quikstart = 'fit': unknown key; did you mean 'quickstart'"),
        ("cut: 3 runs", "cuts: 3 runs", "fit.scales.quick.cuts = '3 runs': unknown key; did you mean 'cut'"),
        ("kind: figure", "kinds: figure", "artifacts.fig1.kinds = 'figure': unknown key; did you mean 'kind'?"),
        ("place: Fig 1", "page: Fig 1", "artifacts.fig1.source.page = 'Fig 1': unknown key; did you mean 'place'"),
        ("      quick: {runs: 3, cut: 3 runs}\n", "", "fit: scales must state all of smoke, quick, paper; 'quick' is"),
        (
            "quick: {runs: 3",
            "quik: {runs: 3",
            "experiments.fit.scales.quik.[key] = 'quik': Input should be 'smoke', 'quick'",
        ),
        ("quickstart: fit\n", "", "quickstart: Field required"),
        # what a scale must say
        (", cut: 3 runs", "", "experiments.fit: scales.quick must say in `cut` what is less than the paper's protocol"),
        ("{runs: 25}", "{runs: 25, cut: some}", "fit: scales.paper is the paper's protocol and cannot have a `cut`"),
        ("quick: paper", "quick: papr", "count.scales.quick = 'papr': Input should be 'paper' or 'quick'"),
        ("quick: paper", "quick: quick", "experiments.count: scales.quick points to 'quick', which is not spelled out"),
        (
            "paper: {runs: 2}",
            "paper: quick",
            "experiments.count: scales.quick points to 'paper', which is not spelled out",
        ),
        (
            "{runs: 3,",
            "{runs: 3, methods: [plane],",
            "fit: scales.quick.methods: unknown ['plane'], allowed ['noisy', 'plain']",
        ),
        (
            "{runs: 3,",
            "{runs: 3, benchmarks: [lin],",
            "scales.quick.benchmarks: unknown ['lin'], allowed ['curve', 'line']",
        ),
        # names that point nowhere
        ("quickstart: fit", "quickstart: fitt", "quickstart: 'fitt' is not an experiment; allowed ['count', 'fit']"),
        (
            "    description: one integer",
            "    extras: {plane: rich}\n    description: one integer",
            "extras: unknown methods ['plane']",
        ),
        ("[fit, count]", "[fit, cuont]", "artifacts.fig1.experiments: unknown ['cuont'], allowed ['count', 'fit']"),
        ("{document: note, place: Fig 1}", "{document: book, place: Fig 1}", "document: 'book' is not one of ['note']"),
        ("paper: toy", "paper: tory", "paper: 'tory' must be the folder's name 'toy'"),
        # settings that the paper's model refuses
        (
            "slope: 3.0",
            "slope: steep",
            "experiments.fit.benchmarks.curve.slope = 'steep': Input should be a valid number",
        ),
        (
            "noise: 0.5",
            "noise: 1.5",
            "experiments.fit.methods.noisy.noise = 1.5: Input should be less than or equal to 1",
        ),
        ("noise: 0.5", "nose: 0.5", "experiments.fit.methods.noisy.nose = 0.5: unknown key; did you mean 'noise'"),
        (
            "{points: 2}",
            "{points: no}",
            "experiments.fit.scales.smoke.settings.points = False: Input should be a number",
        ),
        ("{points: 5}", "{kind: normal}", "experiments.fit.settings.points: Field required"),
        (
            "{points: 2}",
            "{points: 1}",
            "fit (benchmark bundled, method noisy): points = 1 must be at least 2 where noise",
        ),
    ],
)
def test_refused(toy, edit, old, new, expected):
    assert expected in refused(toy, edit(old, new))


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("kind: table", "kind: *tabel", "not valid YAML: found undefined alias"),
        ("paper: toy", "paper: [toy", "not valid YAML: while parsing a flow sequence"),
        ("title: The draws", "\ttitle: x", "not valid YAML: while scanning"),
        ("noisy: {noise: 0.5}", "plain: {noise: 0.5}", "not valid YAML: key 'plain' occurs twice"),
    ],
)
def test_not_yaml_names_the_line(toy, edit, old, new, expected):
    message = refused(toy, edit(old, new))
    assert expected in message
    assert re.search(r"line \d+, column \d+", message)


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"", "must be a mapping with the keys paper, name, title"),
        (b"- paper", "must be a mapping with the keys paper, name, title"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"paper: 2026-02-31", "has a value that YAML cannot have: day is out of range for month"),
        (b"paper: " + b"[" * 1500 + b"]" * 1500, "has a value that YAML cannot have: maximum recursion depth"),
    ],
)
def test_not_a_paper_at_all(toy, edit, content, expected):
    path = edit("paper: toy", "paper: toy")
    path.write_bytes(content)
    assert expected in refused(toy, path)


def test_a_folder_in_its_place(toy, edit):
    path = edit("paper: toy", "paper: toy")
    path.unlink()
    path.mkdir()
    assert "cannot be read" in refused(toy, path)


def test_merged_keys_are_no_duplicates(toy, edit):
    """`<<` twice, and a key that overrides a merged one, are YAML's own ways to share settings."""
    edit("line: {}", "line: &six {points: 6}")
    edit("{slope: 3.0}", "{<<: *six, points: 7, slope: 3.0}")
    edit("{noise: 0.5}", "{<<: *six, noise: 0.5}")
    points = {(c.benchmark, c.method): c.settings.points for c in toy().paper("toy").cells("fit", "paper")}
    assert points == {("line", "plain"): 6, ("line", "noisy"): 6, ("curve", "plain"): 7, ("curve", "noisy"): 6}


def test_all_findings_are_told_at_once(toy, edit):
    edit("runs: 3,", "runs: 0,")
    message = refused(toy, edit("kind: table", "kind: tabel"))
    assert "experiments.fit.scales.quick.runs = 0" in message
    assert "artifacts.table1.kind = 'tabel'" in message


def test_an_alias_means_the_scale_it_points_to(toy):
    experiment = toy().paper("toy").experiments["count"]
    assert experiment.resolve_scale("quick") == "paper"
    assert experiment.resolve_scale("smoke") == "smoke"
