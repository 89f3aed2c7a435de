"""Meta-models in files: arrays in NumPy's format without pickle, and a digest that says which model a run used.

digest = save(model, "svm.npz")
model, digest = load("svm.npz", "svm")
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.tables import DamagedArraysError, read_arrays
from core.foundation.errors import UnavailableError, UserError
from core.foundation.files import write_whole
from core.models.task_encoder import TaskEncoder
from core.objectives.meta_model import MetaModel
from core.objectives.sampled_tasks import TaskFunctions

FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]


def save(model: MetaModel, path: str | Path) -> str:
    """Write the model whole or not at all, and return its digest.

    Raises:
        UserError: the file cannot be written.
    """
    arrays = {"means": model.encoder.means.numpy(), "deviations": model.encoder.deviations.numpy()}
    header: dict[str, Any] = {"format": FORMAT, "name": model.name, "names": model.names, "worst": model.worst}
    for quantity in ("loss", "cost"):
        functions = getattr(model, quantity)
        if functions is not None:
            for name in ("weights", "noise", "center", "spread"):
                arrays[f"{quantity}/{name}"] = getattr(functions, name).numpy()
            chosen = ("widths", "kind", "location", "scale")
            header[quantity] = {name: getattr(functions, name) for name in chosen}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    digest = _digest(arrays)
    arrays["digest"] = np.frombuffer(bytes.fromhex(digest), np.uint8)
    write_whole(Path(path), lambda stream: np.savez(stream, allow_pickle=False, **arrays))
    return digest


def load(path: str | Path, name: str) -> tuple[MetaModel, str]:
    """The model of a class and its digest.

    Raises:
        UnavailableError: there is no such file.
        UserError: it is damaged or of another format, or it holds the model of another class.
    """
    if not Path(path).is_file():
        raise UnavailableError(f"{path}: no meta-model is there; make it with: python -m papers run profet/meta_{name}")
    try:
        arrays = read_arrays(Path(path))
        digest = bytes(arrays.pop("digest")).hex()
        header = json.loads(bytes(arrays["header"]))
    except (OSError, ValueError, KeyError, DamagedArraysError) as error:
        raise UserError(f"{path}: damaged, or no meta-model ({error}); make it again") from error
    if digest != _digest(arrays):
        raise UserError(f"{path}: damaged, its digest is not {digest}; make it again")
    if header["format"] != FORMAT:
        raise UserError(f"{path}: format {header['format']}; allowed: {FORMAT}; make it again")
    if header["name"] != name:
        raise UserError(f"{path}: the meta-model of {header['name']!r}; needed: {name!r}")
    cost = _functions(header, arrays, "cost") if "cost" in header else None
    encoder = TaskEncoder(torch.from_numpy(arrays["means"]), torch.from_numpy(arrays["deviations"]))
    model = MetaModel(name, tuple(header["names"]), encoder, _functions(header, arrays, "loss"), cost, header["worst"])
    return model, digest


def _functions(header: Mapping[str, Any], arrays: Arrays, quantity: str) -> TaskFunctions:
    chosen = header[quantity]
    weights, noise, center, spread = (
        torch.from_numpy(arrays[f"{quantity}/{name}"]) for name in ("weights", "noise", "center", "spread")
    )
    given = chosen | {"widths": tuple(chosen["widths"])}
    return TaskFunctions(**given, weights=weights, noise=noise, center=center, spread=spread)


def _digest(arrays: Arrays) -> str:
    """First 16 hex digits of the SHA-256 of the arrays' names and bytes, in the order of the names."""
    hashed = hashlib.sha256()
    for name in sorted(arrays):
        hashed.update(name.encode())
        hashed.update(np.ascontiguousarray(arrays[name]).tobytes())
    return hashed.hexdigest()[:16]
