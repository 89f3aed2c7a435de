"""Public names: every package says which it has, and each is imported when it is first used."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from core.foundation.lazy import exports

PACKAGES = (
    "core",
    "core.models",
    "core.samplers",
    "core.acquisition",
    "core.optimizers",
    "core.objectives",
    "core.integrations",
    "core.spaces",
    "core.study",
    "core.study.methods",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there_and_documented(package):
    module = import_module(package)
    assert module.__all__ and len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        assert name in dir(module)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"{package}.{name}"


def test_a_name_that_is_not_public():
    with pytest.raises(ImportError, match="cannot import name 'GaussianProces'"):
        exec("from core.models import GaussianProces")
    get, listed, public = exports("core.models")
    assert listed() == public and {"DNGO", "GaussianProcess"} <= set(public) and get("DNGO").__name__ == "DNGO"
    with pytest.raises(AttributeError, match=r"module 'core\.models' has no attribute 'missing'"):
        get("missing")


@pytest.mark.parametrize(
    "package", ["core.models", "core.samplers", "core.acquisition", "core.optimizers", "core.objectives", "core.study"]
)
def test_importing_a_package_imports_no_model(package):
    code = f"import sys, {package}; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.parametrize("name", ["branin", "hartmann6"])
def test_an_objective_by_name(name):
    from core.objectives import objective, objectives
    from core.objectives.synthetic import FUNCTIONS

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


def concrete(package, base):
    """Classes of a package's modules that derive from `base` and can be constructed."""
    folder = Path(import_module(package).__file__).parent
    names = (".".join((package, *path.relative_to(folder).with_suffix("").parts)) for path in folder.rglob("*.py"))
    modules = [import_module(name.removesuffix(".__init__")) for name in names]
    values = {value for module in modules for value in vars(module).values() if inspect.isclass(value)}
    return {
        value
        for value in values
        if value.__module__.startswith(package)
        and not value.__name__.startswith("_")
        and not inspect.isabstract(value)
        and base(value)
    }


INTERNAL = {"BasisNetwork", "MCMCNetwork", "SampledNetwork", "EnsembleModel"}  # bases, and what LCNet is made of


def test_every_model_sampler_and_acquisition_function_is_public():
    from core import acquisition, models, samplers
    from core.acquisition.base import Acquisition
    from core.models.constraint import ConstraintNetwork
    from core.models.curves.base import CurveModel
    from core.models.ensemble import EnsembleModel

    kinds = (EnsembleModel, CurveModel, ConstraintNetwork)
    fitted = {model.__name__ for model in concrete("core.models", lambda value: issubclass(value, kinds))}
    assert {"BayesianNetwork", "DNGO", "LCNet", "GaussianProcess", "ABLR", "NoisyConstraint"} <= fitted
    assert fitted - INTERNAL <= set(models.__all__)
    steppers = concrete("core.samplers", lambda value: hasattr(value, "init") and hasattr(value, "freeze"))
    assert {"SGLD", "AdaptiveSGHMC"} <= {sampler.__name__ for sampler in steppers} <= set(samplers.__all__)
    valued = concrete("core.acquisition", lambda value: hasattr(value, "logarithmic") and value is not Acquisition)
    assert {"LogExpectedImprovement", "Constrained"} <= {value.__name__ for value in valued} <= set(acquisition.__all__)


def test_settings_of_many_are_given_by_name():
    from core import models, samplers

    for package in (models, samplers):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value) and not issubclass(value, Warning):
                parameters = inspect.signature(value).parameters.values()
                positional = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
                assert len(positional) <= 3 or name in ("AdaptiveSGHMCState", "Task"), f"{name}: {positional}"
