"""The wheel in a fresh environment without extras: what a user of the library gets, far away from the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "papers", "hpo_replications", "pyproject.toml", "README.md", "LICENSE")


def call(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command in an environment that knows nothing of the repository."""
    without = ("PYTHONPATH", "VIRTUAL_ENV", "HPO_REPLICATIONS")
    environment = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy, so that no build folder is left in the repository."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    done = call(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, source, cwd=folder)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The programs of an environment with the wheel and what it asks for, of the pinned versions."""
    folder = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    programs = folder / "venv" / "bin"
    done = call(programs / "pip", "install", "-c", ROOT / "envs" / "requirements.txt", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return programs


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    return tmp_path


def test_the_wheel_has_what_papers_need_and_no_tests_or_runs(wheel):
    names = ZipFile(wheel).namelist()
    packages = {name.partition("/")[0] for name in names if ".dist-info" not in name}
    assert packages == {"core", "papers", "hpo_replications"}
    for needed in (
        "core/py.typed",
        "core/models/__init__.pyi",
        "core/data/catalogue/regression.yaml",
        "papers/bohamiann/paper.yaml",
        "papers/bohamiann/published/table3_1.csv",
        "papers/commands/skeleton/paper.yaml.txt",
    ):
        assert needed in names
    assert not [name for name in names if name.endswith(".parquet") or "/tests/" in name]
    assert wheel.stat().st_size < 3e6


def test_nothing_comes_that_only_an_extra_needs(installed, elsewhere):
    listed = call(installed / "pip", "list", "--format", "freeze", cwd=elsewhere).stdout.lower()
    have = {re.split("==| @ ", line)[0] for line in listed.splitlines()}
    assert {"hpo-replications", "torch", "botorch", "numba", "pydantic"} <= have
    assert not have & {"snakemake", "matplotlib", "pyarrow", "dask", "distributed", "optuna", "cma", "smac", "pytest"}


def test_searches_and_every_model_run_in_another_folder(installed, elsewhere):
    program = shutil.copy(ROOT / "tests" / "packaging" / "installed_program.py", elsewhere)
    done = call(installed / "python", program, cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^2\d models in \d+ s$", done.stdout, re.MULTILINE), done.stdout
    assert {path.name for path in elsewhere.iterdir()} == {"installed_program.py"}


def test_the_command_line_uses_the_users_folder_and_says_where_shipped_runs_come_from(installed, elsewhere):
    library = next((installed.parent / "lib").glob("python*/site-packages"))
    before = sorted(path for path in library.rglob("*") if "__pycache__" not in path.parts)
    done = call(installed / "hpo-replications", "list", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert f"working in {elsewhere}" in done.stdout and "the package ships no raw runs" in done.stdout
    assert len(re.findall(r"^ \w+ +\d+ +0 +\d+ +0 ", done.stdout, re.MULTILINE)) >= 10
    for command in ("draw background/fig2_1", "compare background", "run background/step --scale smoke"):
        told = call(installed / "hpo-replications", *command.split(), cwd=elsewhere)
        assert told.returncode == 2 and "pip install 'hpo-replications[replicate]'" in told.stderr, told.stderr
    assert sorted(path for path in library.rglob("*") if "__pycache__" not in path.parts) == before


def test_shipped_runs_of_a_clone_are_found_by_the_variable(installed, elsewhere):
    code = (
        f"import os; os.environ['HPO_REPLICATIONS'] = {str(ROOT)!r}; from papers.__main__ import main; main(['list'])"
    )
    done = call(installed / "python", "-c", code, cwd=elsewhere)
    assert f"shipped raw runs come from {ROOT}/results/reference" in done.stdout, done.stderr


def test_own_runs_and_drawings_are_made_in_the_users_folder(wheel, elsewhere):
    """With the packages of this environment, which has the extra `replicate`."""
    site = elsewhere / "site"
    ZipFile(wheel).extractall(site)
    before = sorted(path for path in site.rglob("*") if "__pycache__" not in path.parts)
    (elsewhere / "mine").mkdir()
    commands = ["run background/step --scale smoke", "draw background/fig2_1 --scale smoke"]
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); from papers.__main__ import main\n"
        f"sys.exit(max([main(command.split()) for command in {commands!r}]))"
    )
    done = call(sys.executable, "-c", code, cwd=elsewhere / "mine")
    assert done.returncode == 0, done.stderr
    assert "nothing is shipped for background/fig2_1: drawn from your own runs" in done.stdout
    made = {str(path.relative_to(elsewhere / "mine")) for path in (elsewhere / "mine").rglob("*") if path.is_file()}
    assert {"figures/own/background/fig2_1.pdf", "results/run/smoke/background/step/forrester/gp.parquet"} <= made
    assert sorted(path for path in site.rglob("*") if "__pycache__" not in path.parts) == before


def test_another_core_in_the_users_folder_is_named(installed, elsewhere):
    (elsewhere / "core").mkdir()
    (elsewhere / "core" / "__init__.py").write_text("__all__ = []\n")
    done = call(installed / "python", "-c", "import hpo_replications", cwd=elsewhere)
    assert done.returncode == 1 and "hpo_replications needs its own package `core`" in done.stderr
    assert call(installed / "hpo-replications", "list", cwd=elsewhere).returncode == 0
