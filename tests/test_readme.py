"""What the READMEs print works: every command in them is read from there, resolved or run; links lead somewhere."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

from core.data import entries, lookup
from core.data.__main__ import parser as data_parser
from core.data.catalogue import Bundled
from core.experiment.paper import Papers, folder_of
from core.experiment.selection import find_cells
from core.experiment.workflow import Workflow
from core.foundation.errors import UserError
from core.objectives import objectives
from core.report.page.summary import summary_of
from papers.__main__ import _parser_of as papers_parser
from papers.commands.drawing import drawings
from papers.commands.readme import current_sidecars, tables

ROOT = Path(__file__).resolve().parent.parent
READMES = [Path("README.md"), *sorted(path.relative_to(ROOT) for path in ROOT.glob("papers/*/README.md"))]
STARTS = ("make", "python -m", "snakemake", "source", "pip", "git")


def commands_in(text: str) -> list[str]:
    """The shell commands of indented blocks, comments included, and those between backticks."""
    blocks = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    inline = re.findall(r"`([^`\n]+)`", text)
    return [line for line in (*blocks, *inline) if line.startswith(STARTS) and re.match(r"[a-z]+( |$)", line)]


COMMANDS = [(str(path), line) for path in READMES for line in commands_in((ROOT / path).read_text())]


@cache
def papers() -> Papers:
    return Papers(ROOT)


def resolve(command: str) -> argparse.Namespace | Workflow | None:
    """Do everything that a command does before its work; raises where it would have been refused."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        assert words[1] in re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE), words[1]
    elif words[0] == "snakemake":
        config, targets = snakemake(words)
        flow = Workflow(config, ROOT)
        for target in targets:
            flow.check(target)
            if drawn := flow.drawn.get(target):
                flow.inputs(drawn.name, folder_of(drawn.source))
        rules = {target for target in targets if "/" not in target}
        assert rules <= {"all", *flow.papers.valid}, rules
        return flow
    elif words[:3] == ["python", "-m", "core.data"]:
        options = data_parser().parse_args(words[3:])
        for name in getattr(options, "names", ()):
            lookup(name)
    elif words[:3] == ["python", "-m", "papers"]:
        parser, arguments = papers_parser(words[3:])
        options = parser.parse_args(arguments)
        if arguments != words[3:]:  # a paper's own command
            return options
        if words[3] == "verify" or getattr(options, "against", None):
            for name in [options.name] if isinstance(options.name, str) else options.name:
                assert find_cells(papers(), name, getattr(options, "scale", "quick"))
        elif words[3] == "benchmark":
            for name in options.on:
                assert name in objectives() or (ROOT / "papers" / name.partition("/")[0] / "benchmark.py").is_file()
        elif words[3] in ("draw", "compare"):
            drawings(papers(), options.name or papers().names, options.scale, options.source)
        elif words[3] in ("run", "promote", "list") and options.name:
            given = {"runs": getattr(options, "runs", None), "overrides": dict(getattr(options, "overrides", ()))}
            options.cells = find_cells(papers(), options.name, options.scale, **given)
        return options
    elif words[:3] == ["pip", "install", "-r"]:
        assert (ROOT / words[3]).is_file(), words[3]
    elif words[:2] == ["pip", "install"]:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        assert words[2] in {f".[{extra}]" for extra in extras}, words[2]
    else:
        assert command == "source .venv/bin/activate", command
    return None


def snakemake(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Configuration and targets of a command without other options; a report of everything has neither."""
    if words[1:2] == ["--report"]:
        assert len(words) == 3 and words[2].endswith(".html"), words
        return {}, []
    place = words.index("--") if "--" in words else 0
    before, targets = words[1:place], words[place + 1 :]
    assert before[:1] in ([], ["--config"]) and not any(target.startswith("-") for target in targets), words
    return dict(pair.split("=") for pair in before[1:]), targets


def needs_data(cell) -> bool:
    """Whether a cell reads a data set that is not bundled; one that reads other cells' records does not."""
    entry = entries().get(getattr(cell.settings, "dataset", None) or cell.benchmark)
    return entry is not None and not isinstance(entry.source, Bundled) and not cell.needs


def test_commands_are_found():
    found = [line for path, line in COMMANDS if path == "README.md"]
    assert len(found) >= 15
    assert {"make", "python", "snakemake", "source"} <= {line.split()[0] for line in found}
    assert {path for path, _ in COMMANDS} == set(map(str, READMES))


@pytest.mark.parametrize("path, command", COMMANDS)
def test_every_command_is_understood(path, command):
    found = resolve(command)
    cells = getattr(found, "cells", ())
    comment = command.partition("  #")[2]
    if getattr(found, "command", ("", ""))[1] == "run":
        assert cells
        assert any(map(needs_data, cells)) == ("need" in comment and "need no" not in comment), command


@pytest.mark.parametrize(
    "command",
    [
        "make quickstrat",
        "snakemake figures/bohamiann/table3_11.pdf",
        "snakemake bohamian",
        "snakemake --config runs=runs -- bohamiann",
        "snakemake --config runs=run -- figures/bohamiann/table3_1.pdf",
        "python -m papers list bohamian",
        "python -m papers compare table3_11",
        "python -m papers compare background/models/forrester/rff --against reference",
        "python -m papers verify backgroud",
        "python -m papers draw fig1",
        "python -m papers run bohamiann/uci/boston/adaptive_sghmc --scale smoke",
        "python -m papers run bohamiann/uci/diabetes/adaptive_sghmc",
        "python -m papers run bohamiann/uci/boston/adaptive_sghmc --set step_size='[0.02]'",
        "python -m papers run bohamiann/uci/boston/adaptive_sghmc --scales smoke",
        "python -m core.data fetch bostn",
        "python -m core.data lsit",
        "source .venv/activate",
    ],
)
def test_a_mistyped_command_would_be_noticed(command, capsys):
    with pytest.raises((ValueError, AssertionError, SystemExit)):
        resolve(command)


def test_a_dry_run_of_all_targets_that_are_drawn_from_shipped_runs(start):
    targets = {"all"}
    for _, command in COMMANDS:
        if command.startswith("snakemake"):
            config, named = snakemake(shlex.split(command, comments=True))
            targets |= set() if config else set(named)
    process = start(["snakemake", "-n", "--quiet", "rules", "--", *sorted(targets)], ROOT)
    output, _ = process.communicate()
    assert process.returncode == 0, output


@pytest.mark.slow
def test_commands_that_need_nothing_run_offline(environment, tmp_path):
    shutil.copytree(ROOT / "papers", tmp_path / "papers", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("core", "Snakefile", "profiles", "envs"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "reference").symlink_to(ROOT / "results" / "reference")
    nothing = {"REPLICATION_DATA": "", "REPLICATION_MIRROR": "http://127.0.0.1:9"}
    text = (ROOT / "README.md").read_text()
    section = text[text.index("These need nothing else:") : text.index("At `quick` and `paper`")]
    commands = commands_in(section)
    assert len([line for line in commands if " " in line]) >= 4
    for command in filter(lambda line: " " in line, commands):
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment | nothing, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.glob("**/*.p*") if path.suffix in (".pdf", ".parquet")}
    assert "results/run/paper/background/models/forrester/rf.parquet" in made
    assert "figures/own/bohamiann/table3_1.pdf" in made


class TestTablesOfPapers:
    def test_papers(self):
        text = (ROOT / "README.md").read_text()
        rows = re.findall(r"^\| \[([^]]+)\]\(papers/(\w+)/README.md\)", text, re.MULTILINE)
        assert rows == 2 * [(paper.spec.name, name) for name, paper in papers().valid.items()]

    def test_numbers_are_those_of_the_drawings(self):
        try:
            sidecars = current_sidecars(papers())
        except UserError as error:
            pytest.skip(f"{error}; .ci/run draws it first")
        summary = summary_of(sidecars, papers().valid)
        assert tables(papers(), summary) in (ROOT / "README.md").read_text(), "python -m papers readme writes it"


@pytest.mark.parametrize("path", READMES, ids=str)
def test_links_lead_somewhere(path):
    text = (ROOT / path).read_text()
    headings = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in text.splitlines()}
    for target, anchor in re.findall(r"\]\(([^)\s#]*)#?([^)\s]*)\)", text):
        if target.startswith("http"):
            continue
        assert not target or (ROOT / path).parent.joinpath(target).exists(), target
        assert target or anchor in headings, anchor
