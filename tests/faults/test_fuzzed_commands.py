"""The command line with arguments at random: it does what it says or ends with status 2, never with a traceback."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

NAMES = [
    *("toy", "toy/fit", "toy/fit/line", "toy/fit/line/plain", "toy/*", "toy/fit/*/noisy", "table1", "toy/fig1", "fig1"),
    *(
        "figures/toy/table1.pdf",
        "figures/own/fig1.png",
        "figures",
        "toi",
        "toy//fit",
        "/",
        ".",
        "..",
        "*",
        "[",
        "",
        " ",
    ),
]
OPTIONS = {
    "list": ["--scale"],
    "plan": ["--scale"],
    "run": ["--scale", "--runs", "--device", "--set"],
    "draw": ["--scale", "--source", "--with"],
    "compare": ["--scale", "--source", "--against", "--single-file"],
    "promote": ["--scale"],
    "verify": ["--shards", "--seed", "--longest"],
    "new": ["--scale"],
    "benchmark": ["--on", "--beside", "--runs", "--evaluations", "--seconds"],
    "fetch": [],
}
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
VALUES = (
    st.sampled_from(
        ["smoke", "quick", "paper", "reference", "run", "ablation", "cpu", "0", "1", "2", "-1", "nan", "1e9"]
    )
    | st.sampled_from(["points=3", "points=0", "noise=.nan", "kind=[", "widths=[1]", "=", "slope=1e3", "label=", "x"])
    | WORDS
)


@st.composite
def commands(draw) -> list[str]:
    command = draw(st.sampled_from([*OPTIONS]))
    arguments = draw(st.lists(st.sampled_from(NAMES) | WORDS, max_size=2))
    for option in draw(st.lists(st.sampled_from(OPTIONS[command] or ["--help"]), max_size=2)):
        arguments += [option, draw(VALUES)]
    return [command, *draw(st.permutations(arguments) if draw(st.booleans()) else st.just(arguments))]


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
@example(["list", "toy/fit"])
@example(["run", "toy/fit/line/plain", "--scale", "smoke", "--runs", "1"])
@given(commands())
def test_any_arguments(papers, arguments):
    status, output, error = papers(*arguments)
    assert status in (0, 1, 2), (arguments, error)
    assert "Traceback" not in output + error
    if status == 2:
        assert "error: " in error, (arguments, error)
