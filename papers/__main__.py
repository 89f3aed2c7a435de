"""Command line of the repository.

python -m papers list | new | plan | run | draw | compare | benchmark | promote | verify | quickstart

A paper may have commands of its own, `python -m papers profet sample`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from core.experiment import SCALES, SOURCES
from core.foundation.errors import UserError
from core.foundation.installation import about, is_clone, missing_module, workplace

CODE = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a `UserError` becomes one line on stderr and exit status 2."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(
            variable, "1"
        )  # one thread per cell, since cells run side by side; read when torch is imported
    arguments = sys.argv[1:] if arguments is None else arguments
    parser, arguments = _parser_of(arguments)
    options = parser.parse_args(arguments)
    try:
        return _call(options)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("core", "papers"):
            raise  # a bug of ours
        print(f"error: {missing_module(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interruption:
        print(getattr(interruption, "notice", "interrupted"), file=sys.stderr)
        return getattr(interruption, "status", 130)


def _call(options: argparse.Namespace) -> int:
    """Libraries are imported here, so that `--help` and mistyped options answer at once."""
    from rich.console import Console

    from core.experiment.paper import Papers

    module, function = options.command
    command = getattr(importlib.import_module(module if "." in module else f"papers.commands.{module}"), function)
    papers, console = Papers(workplace(CODE), code=CODE), Console(highlight=False)
    if not is_clone(CODE):
        console.print(about(papers.root), markup=False, soft_wrap=True)
    return command(papers, options, console)


def _parser_of(arguments: list[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The repository's parser or, where the first argument is a paper with commands of its own, that paper's.

    Returns:
        The parser, and the arguments that are for it.
    """
    paper = arguments[0] if arguments else ""
    if paper.isidentifier() and (CODE / "papers" / paper / "commands.py").is_file():
        return importlib.import_module(f"papers.{paper}.commands").parser(), arguments[1:]
    return _parser(), arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    commands_ = parser.add_subparsers(required=True, metavar="command")

    listing = commands_.add_parser(
        "list", help="list the papers, the experiments and artifacts of one, or the cells of a name"
    )
    listing.add_argument("name", nargs="?", help="a paper, or paper/experiment")
    _scale(listing)
    listing.set_defaults(command=("listing", "list_papers"))

    new = commands_.add_parser("new", help="write the folder of another paper, which runs as it is")
    new.add_argument("name", help="name of the folder, as of a Python package")
    new.set_defaults(command=("new_paper", "new_paper"))

    plan = commands_.add_parser("plan", help="show core-hours, jobs, memory and disk, as earlier runs recorded them")
    plan.add_argument(
        "name", nargs="*", help="papers, experiments, cells or patterns, as for run (default: all papers)"
    )
    _scale(plan)
    plan.set_defaults(command=("planning", "plan"))

    run = commands_.add_parser("run", help="run a cell, or all cells that a shorter name or a pattern matches")
    run.add_argument(
        "name", help="paper/experiment/benchmark/method, the beginning of one, or a pattern: 'paper/*/boston'"
    )
    _scale(run)
    run.add_argument("--runs", type=int, help="number of repetitions, instead of the scale's")
    run.add_argument("--device", default="cpu", help="a torch device: cpu, cuda, cuda:1, ...")
    run.add_argument(
        "--set",
        dest="overrides",
        type=_setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one setting of the experiment or of its method; the result is an ablation, kept in "
        "results/ablation and never promoted",
    )
    run.set_defaults(command=("running", "run"))

    draw = commands_.add_parser("draw", help="draw a table or figure from raw runs")
    draw.add_argument("name", nargs="+", help="paper/artifact, a short name such as table1, a paper, or a file")
    _drawing(draw)
    draw.add_argument(
        "--with",
        dest="additions",
        choices=("ablation",),
        help="add your ablations (run --set) as rows and lines, in a separate drawing in figures/ablation",
    )
    draw.set_defaults(command=("drawing", "draw"))

    compare = commands_.add_parser("compare", help="show verdicts in the terminal and in figures/comparison.html")
    compare.add_argument("name", nargs="*", help="artifacts as for draw (default: all); with --against, cells")
    compare.add_argument("--against", choices=("reference",), help="compare your runs of cells with the shipped ones")
    compare.add_argument("--single-file", action="store_true", help="write the page with its pictures inside")
    _drawing(compare)
    compare.set_defaults(command=("drawing", "compare"))

    benchmark = commands_.add_parser("benchmark", help="run an optimizer of your own beside ours, and write a page")
    benchmark.add_argument(
        "optimizer",
        help="file.py:Name or module:Name of a class, made with (space, seed), with ask and tell; or an Optuna sampler",
    )
    benchmark.add_argument(
        "--on",
        nargs="+",
        required=True,
        metavar="NAME",
        help="objectives or families of core.objectives: branin tabular/protein bohb/letter bbob; or a class of "
        "tasks of a paper: profet/svm",
    )
    benchmark.add_argument(
        "--beside", nargs="+", metavar="METHOD", help="methods to run on objectives (default: random tpe gp)"
    )
    benchmark.add_argument("--runs", type=int, default=5, help="runs of each method on objectives (default: 5)")
    benchmark.add_argument(
        "--evaluations", type=int, default=30, help="evaluations on all budget that each run may spend (default: 30)"
    )
    benchmark.add_argument("--seconds", type=float, default=60.0, help="limit of one call of ask or tell (default: 60)")
    benchmark.add_argument("--out", type=Path, help="page (default: in figures/own/benchmarks)")
    _scale(benchmark)
    benchmark.set_defaults(command=("benchmarking", "benchmark"))

    promote = commands_.add_parser("promote", help="copy finished cells of results/run into results/reference")
    promote.add_argument("name", help="paper/experiment/benchmark/method, or the beginning of one")
    _scale(promote)
    promote.set_defaults(command=("verifying", "promote"))

    verify = commands_.add_parser("verify", help="rerun randomly chosen shipped shards and compare")
    verify.add_argument(
        "name", nargs="?", default="*", help="a paper, an experiment, a cell or a pattern (default: all)"
    )
    verify.add_argument("--shards", type=int, default=1, help="number of shards of each experiment (default: 1)")
    verify.add_argument("--seed", type=int, default=0, help="seed of the choice (default: 0)")
    verify.add_argument(
        "--longest",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="leave out shards that took longer (default: 120)",
    )
    verify.set_defaults(command=("verifying", "verify"))

    quickstart = commands_.add_parser("quickstart", help="run one experiment of every paper live, at smoke scale")
    quickstart.set_defaults(command=("running", "quickstart"))

    readme = commands_.add_parser(
        "readme", help="write the table of papers and the images of README.md from what is drawn"
    )
    readme.add_argument("--check", action="store_true", help="change nothing, and fail if one is out of date")
    readme.set_defaults(command=("readme", "readme"))
    return parser


def _scale(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale", choices=SCALES, default="quick", help="how much of the paper's protocol (default: quick)"
    )


def _drawing(parser: argparse.ArgumentParser) -> None:
    _scale(parser)
    parser.add_argument(
        "--source",
        choices=SOURCES,
        help="the shipped raw runs (reference), or your own in results/run, drawn into figures/own (run); default: the "
        "shipped ones, and your own where none is shipped",
    )


def _setting(text: str) -> tuple[str, Any]:
    import yaml

    key, separator, value = text.partition("=")
    if not separator or not key:
        raise argparse.ArgumentTypeError(f"{text!r} must be KEY=VALUE")
    try:
        value = yaml.safe_load(value)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # the 31st of February; a thousand brackets
        raise argparse.ArgumentTypeError(f"{text!r}: the value is not valid YAML") from error
    try:  # YAML reads 1e-3 as a string
        return key, float(value) if isinstance(value, str) else value
    except ValueError:
        return key, value


def command_line() -> int:
    """`main` as the command `hpo-replications`; returns its status unless it was interrupted."""
    status = main()
    if status > 128:  # an orderly shutdown can take longer than anyone wants to wait
        sys.stdout.flush()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(command_line())
