"""`python -m papers new NAME`: a folder that runs, draws and is judged at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.experiment.paper import Papers

ROOT = Path(__file__).resolve().parents[2]


def called(repository: Path, environment: dict[str, str], *commands: str) -> subprocess.CompletedProcess:
    """The commands one after the other in one process, which imports from the repository."""
    code = (
        "import sys; from papers.__main__ import main\n"
        f"sys.exit(max([main(command.split()) for command in {list(commands)!r}]))"
    )
    without = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=repository, env=without, capture_output=True, text=True)


def test_the_skeleton_runs_draws_and_is_judged(repository, environment):
    done = called(repository, environment, "new tenth", "list tenth")
    assert done.returncode == 0, done.stderr
    assert "wrote papers/tenth; it runs as it is:" in done.stdout and "figures/tenth/table1.pdf" in done.stdout
    one = "--scale smoke"
    done = called(repository, environment, "run tenth --scale smoke", f"draw tenth {one}", f"compare tenth {one}")
    assert done.returncode == 0, done.stderr
    assert "drew figures/own/tenth/table1.pdf" in done.stdout and "drew figures/own/tenth/fig1.pdf" in done.stdout
    table = json.loads((repository / "figures/own/tenth/table1.json").read_text())
    figure = json.loads((repository / "figures/own/tenth/fig1.json").read_text())
    assert len(table["table"]["cells"]) == 6 and sum(cell["runs"] == 3 for cell in table["table"]["cells"]) == 3
    (claim,) = figure["claims"]
    assert claim["holds"] in ("holds", "fails", "inconclusive") and claim["low"] < claim["ours"] < claim["high"]


def test_its_files_are_in_the_repositorys_style(tmp_path, environment):
    """As ruff wants them, with no word of the skeleton left."""
    from argparse import Namespace
    from io import StringIO

    from rich.console import Console

    from papers.commands.new_paper import new_paper

    (tmp_path / "papers").mkdir()
    new_paper(Papers(tmp_path), Namespace(name="tenth"), Console(file=StringIO()))
    folder = tmp_path / "papers" / "tenth"
    assert {path.name for path in folder.iterdir()} >= {
        "paper.yaml",
        "settings.py",
        "README.md",
        "published",
        "claims.yaml",
    }
    assert not [path for path in folder.rglob("*") if path.is_file() and "{name}" in path.read_text()]
    for arguments in (["check"], ["format", "--check"]):
        first_party = 'lint.isort.known-first-party = ["core", "papers"]'
        configuration = ["--config", str(ROOT / "pyproject.toml"), "--config", first_party, "--no-cache"]
        command = [str(Path(sys.executable).parent / "ruff"), *arguments, *configuration, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Tenth", "name 'Tenth'; allowed: lower-case letters, digits and _, first a letter"),
        ("10th", "name '10th'; allowed"),
        ("lambda", "name 'lambda'; allowed"),
        ("../tenth", r"name '../tenth'; allowed"),
        ("library", "name 'library': a rule of the Snakefile has it; allowed: none of all, library, table"),
        ("toy", "toypapers/toy exists already; allowed: another name"),
    ],
)
def test_names_that_cannot_be(refused, name, message):
    assert message in refused("new", name)


def test_not_where_pip_installed_it(toy, tmp_path, monkeypatch, capsys):
    from papers import __main__ as command_line

    papers = Papers(tmp_path / "work", "toypapers", tmp_path)
    monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: papers)
    assert command_line.main(["new", "tenth"]) == 2
    assert "is where the package is installed; allowed: a clone of the repository" in capsys.readouterr().err
