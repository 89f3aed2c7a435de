"""What the library needs without an extra, and what is said where an extra is missing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core.foundation.errors import UserError
from core.foundation.installation import EXTRAS, needed_for

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EVERY = [line for group in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()) for line in group]
# Modules that are about an optional package as a whole, and say so when they are imported.
ABOUT_ONE = {"cmaes", "tpe", "pool", "cluster", "published"}
BROUGHT = {"cloudpickle", "jinja2"}
"""Optional packages that torch or scikit-learn need as well."""
HARNESS = ("core.experiment", "core.report")


def library() -> list[str]:
    paths = [path.relative_to(ROOT).with_suffix("") for path in sorted((ROOT / "core").rglob("*.py"))]
    names = [
        ".".join(path.parts).removesuffix(".__init__")
        for path in paths
        if path.stem not in ABOUT_ONE and path.parent.name not in ("integrations", "fused")
    ]
    return [name for name in names if not name.startswith(HARNESS) and not name.endswith("__main__")]


def test_no_module_of_the_library_needs_an_extra():
    """One process imports them all, with every optional package hidden."""
    code = (
        f"import sys, importlib\nsys.modules.update(dict.fromkeys({sorted(EXTRAS.keys() - BROUGHT)!r}))\n"
        f"for name in {library()!r}: importlib.import_module(name)\nprint('done')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_a_study_imports_nothing_that_only_drawing_needs():
    heavy = ("matplotlib", "pyarrow", "snakemake", "optuna", "distributed")
    code = (
        "import sys\nfrom core import minimize\n"
        "minimize(lambda c: c['x'] ** 2, {'x': (-1.0, 1.0)}, method='random', evaluations=3, progress=False)\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "[]\n"


def test_a_missing_extra_is_one_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    told = re.escape("a search needs the Python package 'cma': pip install 'hpo-replications[peers]'")
    with pytest.raises(UserError, match=told), needed_for("a search"):
        import cma  # noqa: F401


def test_a_missing_package_that_no_extra_has_stays_what_it_is():
    with pytest.raises(ModuleNotFoundError, match="no_such_package"), needed_for("a search"):
        import no_such_package  # noqa: F401


def test_methods_say_which_extra_they_need(monkeypatch):
    """In a process of its own, in which nothing has been imported yet."""
    code = (
        "import sys\nsys.modules.update(dict.fromkeys(['cma', 'optuna', 'distributed', 'matplotlib']))\n"
        "from core import minimize\n"
        "def call(**given):\n"
        "    try:\n"
        "        return minimize(lambda c: c['x'] ** 2, {'x': (-1.0, 1.0)}, evaluations=2, progress=False, **given)\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
        "call(method='cmaes'), call(method='optuna_tpe'), call(method='random', workers=2)\n"
        "try: call(method='random').plot()\nexcept ValueError as error: print(error)\n"
    )
    told = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).splitlines()
    wanted = [("cma", "peers"), ("optuna", "peers"), ("distributed", "dask"), ("matplotlib", "replicate")]
    assert len(told) == len(wanted)
    for line, (package, extra) in zip(told, wanted):
        assert f"needs the Python package {package!r}" in line and f"'hpo-replications[{extra}]'" in line


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\s\[<>=;~!]", line.strip())[0].lower() for line in requirements}


def test_pins_are_of_what_the_distribution_asks_for():
    """envs/requirements.in is the library, and the extras that this repository's environment has."""
    extras = PROJECT["optional-dependencies"]
    asked = names(PROJECT["dependencies"])
    asked |= set().union(*(names(extras[extra]) for extra in ("replicate", "peers", "dask", "dev")))
    asked -= {"hpo-replications", "xgboost"}  # itself; and elsewhere than on Linux
    lines = (ROOT / "envs" / "requirements.in").read_text().splitlines()
    assert names([line for line in lines if line and not line.startswith("#")]) == asked


def test_no_user_gets_an_exact_version():
    assert not [line for line in EVERY if "==" in line.partition(";")[0]]


def test_pinned_versions_are_allowed():
    pins = dict(line.split("==") for line in (ROOT / "envs/requirements.txt").read_text().splitlines() if "==" in line)
    pins = {name.lower().replace("_", "-"): tuple(map(int, re.findall(r"\d+", each))) for name, each in pins.items()}
    checked = 0
    for line in EVERY:
        found = re.match(r"([\w-]+)>=([\d.]+)", line)
        if found and found[1].lower() in pins:
            least = tuple(map(int, found[2].split(".")))
            assert pins[found[1].lower()] >= least, line
            checked += 1
    assert checked > 25


def test_every_optional_import_has_an_extra():
    """What core imports is in the dependencies, or in `core.foundation.installation`."""
    own = {"sklearn": "scikit-learn", "yaml": "pyyaml", "linear_operator": "gpytorch", "llvmlite": "numba"}
    own |= {"pydantic_core": "pydantic", "joblib": "scikit-learn"}
    needed, found = names(PROJECT["dependencies"]), set()
    for path in (ROOT / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    others = found - set(sys.stdlib_module_names) - {"core"}
    unknown = {name for name in others if name not in EXTRAS and own.get(name, name.lower()) not in needed}
    assert len(others) > 15 and not unknown
