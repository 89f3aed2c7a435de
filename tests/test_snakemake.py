"""Snakemake itself, as a user calls it, in copies of the repository that have no results."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from core.experiment.storage import read_provenance
from core.experiment.workflow import RULES

ROOT = Path(__file__).resolve().parent.parent
CELL = "results/run/paper/toy/fit/line/noisy.parquet"
NOTHING = "Nothing to be done (all requested files are present and up to date)."


def jobs(output: str) -> dict[str, int]:
    """The table of job counts."""
    table = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal ", output, re.DOTALL)
    assert table, output
    return {line.split()[0]: int(line.split()[1]) for line in table[1].splitlines()}


class TestPlans:
    def test_everything_on_a_fresh_clone_is_drawing_alone(self, call):
        status, output = call("-n")
        assert status == 0, output
        assert jobs(output) == {"all": 1, "comparison": 1, "library": 1, "toy": 1}

    def test_this_repository_as_a_fresh_clone(self, call, repository):
        """With the papers that it has, whatever they are."""
        shutil.rmtree(repository / "papers")
        shutil.copytree(ROOT / "papers", repository / "papers", ignore=shutil.ignore_patterns("__pycache__"))
        status, output = call("-n")
        assert status == 0, output
        papers = {file.parent.name for file in (ROOT / "papers").glob("*/paper.yaml")}
        assert jobs(output) == dict.fromkeys(["all", "comparison", "library", *papers], 1), "one job draws a paper"

    def test_own_runs_are_planned_where_they_are_asked_for(self, call):
        status, output = call("-n", "--config", "runs=run", "--", "toy")
        assert status == 0, output
        assert jobs(output) == {"cell": 5, "library": 1, "toy": 1}
        assert "results/run/quick/toy/fit/curve/noisy.parquet" in output
        assert "results/run/paper/toy/count/line/plain.parquet" in output
        assert "figures/own/toy/fig1.pdf" in output
        assert "figures/toy/fig1.pdf" not in output

    def test_own_drawings_by_their_path(self, call):
        status, output = call("-n", "--", "figures/own/table1.pdf")
        assert status == 0, output
        assert jobs(output) == {"cell": 4, "library": 1, "short_name": 1}

    def test_drawings_that_share_a_folder(self, call):
        """Snakemake remembers what is in a folder that is there when it first looks."""
        call("-n", "--", "figures/toy/table1.pdf")
        status, output = call(
            "-n", "--config", "runs=run", "--", "figures/own/toy/table1.pdf", "figures/own/toy/fig1.pdf"
        )
        assert status == 0, output
        assert jobs(output) == {"cell": 5, "figure": 1, "library": 1, "table": 1}

    def test_short_names(self, call):
        status, output = call("-n", "--", "figures/fig1.png")
        assert status == 0, output
        assert jobs(output) == {"library": 1, "short_name": 1}

    def test_values_of_options_are_no_targets(self, call, repository):
        add_figures(repository, 4)
        for options in (("-q", "all"), ("--rerun-triggers", "mtime", "params")):
            status, output = call("-n", *options, "--", "figures/toy/fig1.pdf")
            assert status == 0 and jobs(output) == {"figure": 1, "library": 1}, output
        assert jobs(call("-n", "-q", "all", "--", "toy")[1]) == {"library": 1, "toy": 1}

    def test_a_file_beside_all(self, call, repository):
        add_figures(repository, 4)
        status, output = call("-n", "--", "all", "figures/toy/fig1.pdf", "figures/own/fig1.png")
        assert status == 0, output
        expected = {"all": 1, "cell": 5, "comparison": 1, "figure": 1, "library": 1, "short_name": 1, "toy": 1}
        assert jobs(output) == expected

    def test_papers_are_listed(self, call):
        status, output = call("--list")
        assert status == 0
        assert {"all", "toy"} <= set(output.split())

    def test_lint(self, call):
        status, output = call("--lint")
        assert status == 0
        assert "Congratulations, your workflow is in a good condition!" in output


class TestBadInput:
    @pytest.mark.parametrize(
        "arguments, message",
        [
            (["--config", "scale=papr"], "unknown value of --config scale 'papr'; did you mean 'paper'?"),
            (
                ["--config", "runs=run", "scal=paper"],
                "unknown configuration key (--config) 'scal'; did you mean 'scale'?",
            ),
            (
                ["figures/toy/tabel1.pdf"],
                "unknown file 'figures/toy/tabel1.pdf'; did you mean 'figures/toy/table1.pdf'",
            ),
            (["--", "toi"], "unknown target 'toi'; did you mean 'toy'?"),
            ([CELL.replace("line", "lin")], f"unknown file '{CELL.replace('line', 'lin')}'; did you mean '{CELL}'"),
        ],
    )
    def test_one_line_names_it_and_what_is_near(self, call, arguments, message):
        status, output = call("-n", *arguments)
        assert status == 1
        assert [line for line in output.splitlines() if line.startswith(message)], output
        assert "Traceback" not in output
        assert "Job stats" not in output

    def test_an_invalid_paper_yaml(self, call, repository):
        replace(repository, "runs: 3,", "runs: 0,")
        status, output = call("-n")
        assert status == 1
        assert "papers/toy/paper.yaml: experiments.fit.scales.quick.runs = 0: Input should be greater than 0" in output
        assert "Traceback" not in output


def test_without_activation(start, repository):
    """Rules run the interpreter that runs Snakemake, whatever `python` is on the path."""
    (repository / "bin").mkdir()
    (repository / "bin" / "python").write_text("#!/bin/sh\necho another python; exit 1\n")
    (repository / "bin" / "python").chmod(0o755)
    snakemake = Path(sys.executable).with_name("snakemake")
    command = [str(snakemake), "--", "results/run/paper/toy/count/line/plain.parquet", "figures/toy/fig1.pdf"]
    process = start(command, repository, PATH=f"{repository}/bin:/usr/bin:/bin")
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert (repository / "figures/toy/fig1.pdf").exists()


def test_every_rule_that_runs_something_runs_this_interpreter():
    shells = re.findall(r"shell:\n(.*?)\n\n", (ROOT / "Snakefile").read_text() + "\n", re.DOTALL)
    assert len(shells) == 6 and all(shell.strip().startswith('f"{PYTHON} -m papers ') for shell in shells)


def test_a_paper_may_have_no_name_of_a_rule():
    """What `papers new` refuses is what the Snakefile names, and the rule of cells, whose names are made there."""
    named = re.findall(r"^rule (\w+):", (ROOT / "Snakefile").read_text(), re.MULTILINE)
    assert {*named, "cell"} == set(RULES)


class TestReruns:
    @pytest.mark.slow
    def test_changed_settings_rerun_their_cell_and_no_other(self, call, repository):
        cells = (CELL, "results/run/paper/toy/count/line/plain.parquet")
        status, output = call("--", *cells)
        assert status == 0, output
        assert jobs(output) == {"cell": 2}
        replace(repository, "noisy: {noise: 0.5}", "noisy: {noise: 0.75}")
        status, output = call("--", *cells)
        assert status == 0, output
        assert jobs(output) == {"cell": 1}
        assert read_provenance(repository / CELL)["settings"]["noise"] == 0.75
        assert NOTHING in call("--", *cells)[1]

    @pytest.mark.slow
    def test_what_was_made_by_hand_is_completed_and_drawn_from_when_it_is(self, call, start, repository):
        cell, config = "results/run/smoke/toy/fit/bundled/plain.parquet", ("--config", "runs=run", "scale=smoke")
        command = ["python", "-m", "papers", "run", "toy/fit/bundled", "--scale", "smoke", "--runs", "1"]
        assert start(command, repository).wait() == 0
        status, output = call(*config, "--", "figures/own/toy/table1.pdf")
        assert status == 0 and jobs(output) == {"cell": 2, "library": 1, "table": 1}, output
        log = (repository / "logs/run/smoke/toy/fit/bundled/plain.log").read_text()
        assert "holds 1 of 2 repetitions; computing the rest" in log
        replace(repository, "settings: {points: 2}", "settings: {points: 3}")
        status, output = call(*config, "--", "figures/own/toy/table1.pdf", cell)
        assert status == 0 and jobs(output) == {"cell": 2, "table": 1}, output
        assert NOTHING in call("-n", *config, "--", "figures/own/toy/table1.pdf", cell)[1]

    @pytest.mark.slow
    def test_a_missing_attachment_is_made_again_for_the_cell_that_reads_it(self, call, repository):
        replace(repository, "description: means of [normal] draws", "description: means\n    attachment: npz")
        replace(repository, "description: one integer a run", "description: one\n    needs: [fit]")
        replace(repository, "smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
        target = "results/run/smoke/toy/count/bundled/plain.parquet"
        status, output = call("--", target)
        assert status == 0 and jobs(output) == {"cell": 1, "cell_with_npz": 2}, output
        assert NOTHING in call("--", target)[1]
        file = repository / "results/run/smoke/toy/fit/bundled/plain.npz"
        file.unlink()
        status, output = call("--", target)
        assert status == 0 and jobs(output) == {"cell": 1, "cell_with_npz": 1}, output
        assert file.exists()

    def test_a_failing_cell_shows_why(self, call, repository):
        replace(repository, "description: one integer a run\n    function: fit", "description: one\n    function: fitt")
        status, output = call("--", "results/run/paper/toy/count/line/plain.parquet")
        assert status == 1
        assert (
            "unknown function in papers/toy/paper.yaml: experiments.count.function: 'fitt'; did you mean 'fit'"
            in output
        )

    @pytest.mark.slow
    def test_from_runs_to_the_comparison_page(self, call, repository):
        status, output = call("--config", "scale=smoke", "runs=run", "--", "all")
        assert status == 0, output
        assert jobs(output) == {"all": 1, "cell": 3, "comparison": 1, "library": 1, "toy": 1}
        for name in ("comparison.html", "toy/table1.pdf", "toy/table1.csv", "toy/table1.json", "toy/fig1.png"):
            assert (repository / "figures" / "own" / name).stat().st_size > 0
        assert not (repository / "figures" / "toy").exists()
        assert "Own runs, not the shipped ones." in (repository / "figures/own/toy/table1.md").read_text()
        arguments = ("-n", "--config", "scale=smoke", "runs=run", "--", "all")
        assert NOTHING in call(*arguments)[1]
        replace(repository, "title: Means of draws", "title: Means of normal draws")
        assert jobs(call(*arguments)[1]) == {"all": 1, "comparison": 1, "toy": 1}
        next(repository.glob("papers/toy/published/*.csv")).touch()  # artifacts of other papers may show it
        assert jobs(call(*arguments)[1]) == {"all": 1, "comparison": 1, "library": 1, "toy": 1}

    @pytest.mark.slow
    def test_everything_is_drawn_whatever_is_there_already(self, call, start, repository):
        """A page that was written early must not hide drawings that are missing."""
        process = start(["python", "-m", "papers", "compare", "fig1"], repository)
        output, _ = process.communicate()
        assert process.returncode == 0, output
        assert (repository / "figures/comparison.html").exists() and (repository / "figures/toy/fig1.pdf").exists()
        assert jobs(call("-n")[1]) == {"all": 1, "comparison": 1, "library": 1, "toy": 1}
        status, output = call("all")
        assert status == 0, output
        assert (repository / "figures/toy/table1.pdf").exists()
        assert NOTHING in call("-n")[1]
        (repository / "figures/toy/fig1.png").unlink()
        assert jobs(call("-n")[1]) == {"all": 1, "comparison": 1, "toy": 1}

    @pytest.mark.slow
    def test_drawn_with_others_is_up_to_date_for_the_rule_of_one(self, call, repository):
        """And what cannot be drawn costs none of the others."""
        add_figures(repository, 4)
        extra = "def extra{}(results, published):\n    return fig1(results, published)\n\n\n"
        with open(repository / "papers/toy/figures.py", "a") as stream:
            stream.write("\n\n" + "".join(map(extra.format, range(3))))
        status, output = call("toy")
        assert status == 1
        assert "papers/toy/{figures,tables}.py: no function of that name" in output
        assert (repository / "figures/toy/extra2.pdf").exists()
        with open(repository / "papers/toy/figures.py", "a") as stream:
            stream.write(extra.format(3))
        status, output = call("toy")
        assert status == 0, output
        assert set(jobs(output)) == {"toy"}
        assert NOTHING in call("-n", "toy")[1]
        assert NOTHING in call("-n", "figures/toy/extra0.pdf", "figures/toy/table1.pdf")[1]


def add_figures(repository: Path, count: int) -> None:
    entry = "    kind: figure\n    comparison: shape\n    title: T\n    source: {document: note, place: Fig}\n"
    text = "".join(f"  extra{number}:\n{entry}    experiments: [fit]\n" for number in range(count))
    replace(repository, "artifacts:\n", f"artifacts:\n{text}")


def replace(repository: Path, old: str, new: str) -> None:
    path = repository / "papers" / "toy" / "paper.yaml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
