"""Public names: every package says which it has, and each is imported when it is first used."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from core.lazy import exports

PACKAGES = (
    "core",
    "core.models",
    "core.samplers",
    "core.acquisition",
    "core.optimizers",
    "core.benchmarks",
    "core.spaces",
    "core.study",
    "core.study.methods",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there_and_documented(package):
    module = import_module(package)
    assert module.__all__ == sorted(module.__all__, key=module.__all__.index) and len(set(module.__all__)) == len(
        module.__all__
    )
    for name in module.__all__:
        found = getattr(module, name)
        assert name in dir(module)
        if inspect.isclass(found) or inspect.isfunction(found):
            assert found.__doc__, f"{package}.{name}"


def test_a_name_that_is_not_public():
    with pytest.raises(ImportError, match="cannot import name 'GaussianProces'"):
        exec("from core.models import GaussianProces")
    get, listed, public = exports("core.models", {"dngo": ["DNGO"]})
    assert listed() == public == ["DNGO"] and get("DNGO").__name__ == "DNGO"
    with pytest.raises(AttributeError, match=r"module 'core\.models' has no attribute 'missing'"):
        get("missing")


@pytest.mark.parametrize("package", ["core.models", "core.optimizers", "core.benchmarks", "core.study"])
def test_importing_a_package_imports_no_model(package):
    code = f"import sys, {package}; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.parametrize("name", ["branin", "hartmann6"])
def test_an_objective_by_name(name):
    from core.benchmarks import objective, objectives
    from core.benchmarks.synthetic import FUNCTIONS

    assert objective(name) is FUNCTIONS[name] and name in objectives()


def test_importing_core_imports_nothing_heavy():
    heavy = "torch", "numpy", "pandas", "scipy", "ConfigSpace", "pydantic"
    code = f"import sys, core; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_every_settings_class_is_public():
    from core.study import methods

    assert {settings.__name__ for settings in methods.METHODS.values()} <= set(methods.__all__)


def test_settings_of_optimizers_are_keywords():
    """Only what every optimizer needs, and models and their parts, may be given by position."""
    for name in import_module("core.optimizers").__all__:
        found = getattr(import_module("core.optimizers"), name)
        if inspect.isclass(found) and not inspect.isabstract(found):
            given = inspect.signature(found).parameters.values()
            optional = [
                each.name for each in given if each.default is not each.empty and each.kind is not each.KEYWORD_ONLY
            ]
            assert len(optional) <= 3, f"{name}: {optional}"
