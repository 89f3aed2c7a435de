"""Calls of the command line over the toy paper, in this process; and runs of a paper's cells at the smoke scale."""

from __future__ import annotations

import pytest

from papers import __main__ as command_line
from tests.papers.runs import smoke_runs


@pytest.fixture
def papers(toy, capsys, monkeypatch):
    """Runs the command line in this process; returns exit status, standard output and error, blanks made one."""
    monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: toy())
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # what another process writes is not captured

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = command_line.main(list(arguments))
        except SystemExit as error:  # argparse's
            status = error.code
        captured = capsys.readouterr()
        return status, " ".join(captured.out.split()), captured.err

    return run


@pytest.fixture
def refused(papers):
    """The message of a command that must end with status 2 and write nothing."""

    def run(*arguments: str) -> str:
        status, _, message = papers(*arguments)
        assert status == 2
        return message

    return run


@pytest.fixture(scope="module")
def smoke(request, tmp_path_factory):
    """Runs a cell of the smoke scale, of the paper whose tests these are, and returns its records."""
    paper = request.path.parent.name
    return smoke_runs(paper, tmp_path_factory.mktemp(paper))
