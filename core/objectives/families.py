"""Families of objectives: names with a slash, such as "tabular/protein", whose members are made alike.

    tabular/D        networks that this repository trained on a part of Table 7.2's grid, with budgets (thesis 7)
    fcnet/D          the authors' table of all 62,208 configurations, after all epochs
    bohb/D           a surrogate of networks' learning curves on data set D, budgets in seconds (BOHB, 6.4.2.2)
    profet/C/N       task N that the meta-model of class C generates (PROFET, 8.2.3); profet/C stands for the first five
    counting_ones/D  stochastic counting ones in D dimensions, half of them categorical (BOHB, 6.4.1)
    xgboost/D        XGBoost trained on data set D (thesis A.2)
    bbob/F           a function of BBOB in five dimensions
    images/N/D       a small network of family N trained on images of data set D, which are resized to 16 x 16 pixels
                     (`core.objectives.image_networks`)
    captions/D       the log-bilinear model of captions on a part of Flickr8k, or on generated images (DNGO, 4.2)

A member is made when it is asked for; what it needs, data sets, records or a package, is named if it is not here.

Records of experiments that objectives are made from: your own first, then the shipped ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from core.foundation.errors import UnavailableError
from core.foundation.installation import needed_for, workplace
from core.objectives.base import Objective

if TYPE_CHECKING:
    from core.objectives.generated_tasks import GeneratedTasks


SOURCES = ("run", "reference")
SCALE = "quick"


def recorded_file(cell: str, ending: str = "parquet") -> Path:
    """A file of a cell, paper/experiment/benchmark/method, at scale quick.

    Raises:
        UnavailableError: it was neither run nor shipped.
    """
    results = workplace() / "results"
    files = [results / source / SCALE / f"{cell}.{ending}" for source in SOURCES]
    for file in files:
        if file.is_file():
            return file
    raise UnavailableError(
        f"{files[1].relative_to(workplace())} is not in {workplace()}, nor your own in results/run: use a clone of the "
        f"repository that has it, or make it: python -m papers run {cell} --scale {SCALE}"
    )


def records_of(cell: str) -> pd.DataFrame:
    """The records of a cell; raises as `recorded_file`."""
    file = recorded_file(cell)
    with needed_for(f"reading {file.name}"):
        import pyarrow  # noqa: F401, which pandas reads with

    return pd.read_parquet(file)


TASKS = 5  # that the name of a class stands for
CLASSES = ("svm", "fcnet", "xgboost", "forrester")


@dataclass(frozen=True)
class Family:
    """Members by their names after the slash, and the function that makes one."""

    members: tuple[str, ...]
    make: Callable[[str], Objective]


def _tabular(dataset: str) -> Objective:
    cell = f"tabular/grid/{dataset}/fcnet"
    frame = import_module("core.tabular.frame")  # a room above this one
    table = frame.from_records(records_of(cell), place=cell)
    objective: Objective = import_module("core.tabular.benchmark").TabularBenchmark(table)
    return objective


def _fcnet(dataset: str) -> Objective:
    table = import_module("core.tabular.authors").authors_table("slice_localization" if dataset == "slice" else dataset)
    objective: Objective = import_module("core.tabular.benchmark").TabularBenchmark(table)
    return objective


def _bohb(dataset: str) -> Objective:
    from core.objectives.fcnet_surrogate import FCNetSurrogate

    return FCNetSurrogate.fit(records_of(f"bohb/collect/{dataset}/fcnet"), of_code=True)


def _profet(name: str) -> Objective:
    kind, _, number = name.partition("/")
    tasks = _generated(kind, max(TASKS, int(number) + 1))
    space = {f"x{place:02d}": (0.0, 1.0) for place in range(tasks.dimension)}
    return tasks.objective(int(number), space)


@cache
def _generated(kind: str, count: int) -> GeneratedTasks:
    from core.objectives.generated_tasks import generated_tasks
    from core.objectives.meta_model import load

    try:
        file = recorded_file(f"profet/meta_{kind}/{kind}/profet", "npz")
    except UnavailableError as error:
        raise UnavailableError(
            f"profet/{kind}: weights of a meta-model are too large to be shipped; {error}"
        ) from error
    return generated_tasks(load(file, kind)[0], count)


def _counting_ones(name: str) -> Objective:
    from core.objectives.counting_ones import CountingOnes

    half = int(name.removeprefix("d")) // 2
    return CountingOnes(categorical=half, continuous=half)


def _xgboost(dataset: str) -> Objective:
    from core.objectives.xgboost import xgboost

    return xgboost(dataset)


def _images(name: str) -> Objective:
    from core.objectives.image_classification import reduced  # imports torch

    network, _, dataset = name.partition("/")
    return reduced(network, dataset)


def _bbob(name: str) -> Objective:
    from core.objectives.bbob import bbob

    return bbob(name)


def _captions(name: str) -> Objective:
    from core.objectives.caption_tuning import reduced_tuning

    return reduced_tuning(name)


NETWORKS = ("convolutional", "corrupted", "residual", "shaken")
IMAGE_SETS = ("cifar10", "cifar10_jpeg", "cifar100", "cifar100_part", "svhn", "svhn_digits_part", "digits")
REGRESSION = ("boston", "concrete", "energy", "naval", "parkinsons", "power_plant", "protein", "wine_red", "yacht")
FAMILIES: dict[str, Family] = {
    "tabular": Family(("protein", "naval", "parkinsons", "slice_localization"), _tabular),
    "fcnet": Family(("protein", "slice", "naval", "parkinsons"), _fcnet),
    "bohb": Family(("adult", "letter", "mnist", "optdigits"), _bohb),
    "profet": Family(tuple(f"{kind}/{task}" for kind in CLASSES for task in range(TASKS)), _profet),
    "counting_ones": Family(("d8", "d16", "d32", "d64"), _counting_ones),
    "xgboost": Family(REGRESSION, _xgboost),
    "bbob": Family(tuple(f"f{number:02d}" for number in range(1, 25)), _bbob),
    "images": Family(tuple(f"{network}/{dataset}" for network in NETWORKS for dataset in IMAGE_SETS), _images),
    "captions": Family(("flickr8k", "generated"), _captions),
}


def family_members() -> list[str]:
    """The names of all members."""
    return [f"{name}/{member}" for name, family in FAMILIES.items() for member in family.members]


def below(name: str) -> list[str]:
    """The members that a family, or the beginning of their names, stands for; empty if it stands for none."""
    return [member for member in family_members() if member.startswith(f"{name}/")]


def is_member(name: str) -> bool:
    """Whether a name is that of a member; the tasks of a class of profet are countless."""
    family, _, member = name.partition("/")
    kind, _, number = member.partition("/")
    return family in FAMILIES and (
        member in FAMILIES[family].members or (family == "profet" and kind in CLASSES and number.isdigit())
    )


def make_member(name: str) -> Objective:
    """The objective of a member's name."""
    family, _, member = name.partition("/")
    return FAMILIES[family].make(member)
