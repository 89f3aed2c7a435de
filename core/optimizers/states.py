"""States of optimizers: files that are read without running any code, what is wrong with a state, and policies in plain
values.

A policy is described in plain values so that a saved state is continued only by an optimizer with the same proposals. A
file is one line with the SHA-256 of the rest, and the rest is JSON. What JSON lacks is an object with one key that says
what it is:

    {"tuple": [1, 2]}
    {"mapping": [[1, "a"], ["tuple", "b"]]}             whose keys are not text, or one of these words
    {"array": "float64", "shape": [2, 3], "bytes": "..."}                               in base 64, little-endian
    {"tensor": "float64", "shape": [2, 3], "bytes": "...", "device": "cpu"}

Numbers come back bit for bit. Neither arrays nor plain values need torch, whose import takes longer than many a search.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from core.foundation.errors import UserError, brief
from core.foundation.files import with_checksum, without_checksum, write_whole

if TYPE_CHECKING:
    from torch import Tensor


FIRST_LINE = b"state of an optimizer, SHA-256 "
TUPLE, MAPPING, ARRAY, TENSOR = "tuple", "mapping", "array", "tensor"
MARKS = (TUPLE, MAPPING, ARRAY, TENSOR)
KINDS = "biufc"  # of arrays whose bytes are numbers
PLAIN = (bool, int, float, str, type(None))


def write_state(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write a state: first to a temporary file, so that an interruption leaves the last one whole.

    Raises:
        UserError: the file cannot be written, or the state holds something else, such as a choice that is a function.
    """
    try:
        content = json.dumps(_packed(state), default=_refuse).encode()
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    write_whole(Path(path), lambda stream: stream.write(FIRST_LINE + with_checksum(content)))


def read_state(path: str | Path) -> dict[str, Any]:
    """The inverse of `write_state`.

    Raises:
        UserError: no such file, one that is truncated, was changed or holds something else, or tensors of a device that
            this machine lacks.
    """
    try:
        whole = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    content = without_checksum(whole.removeprefix(FIRST_LINE)) if whole.startswith(FIRST_LINE) else b""
    if content is None:
        raise UserError(f"{path}: is damaged: its checksum is another; allowed: a state as `save` wrote it")
    if not content.startswith(b"{"):
        raise UserError(f"{path}: is not a saved state of an optimizer, or one of an earlier version of this library")
    try:
        state = _unpacked(json.loads(content))
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except Exception as error:
        raise UserError(f"{path}: is not a saved state of an optimizer: {type(error).__name__}") from error
    if not isinstance(state, dict):
        raise UserError(f"{path}: is not a saved state of an optimizer: it holds {type(state).__name__}")
    return state


def _packed(value: Any) -> Any:
    """The value in what JSON has; NumPy's numbers become Python's."""
    if isinstance(value, Mapping):
        if value.keys() & set(MARKS) or not all(isinstance(key, str) for key in value):
            return {MAPPING: [[_packed(key), _packed(entry)] for key, entry in value.items()]}
        return {key: _packed(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return {TUPLE: [_packed(entry) for entry in value]}
    if isinstance(value, list):
        return [_packed(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in KINDS:
            _refuse(value)
        return {ARRAY: value.dtype.name, **_in_bytes(value)}
    if type(value).__module__ == "torch":
        return _packed_tensor(value)
    return value


def _refuse(value: Any) -> NoReturn:
    raise UserError(f"the state holds {brief(value)}, which no file can keep; allowed: plain values, arrays, tensors")


def _packed_tensor(value: Tensor) -> dict[str, Any]:
    import torch

    on_cpu = value.detach().cpu().contiguous()
    numbers = on_cpu.reshape(-1).view(torch.uint8).numpy()  # NumPy lacks some of its types
    entry = {**_in_bytes(numbers), "shape": list(value.shape), "device": str(value.device)}
    return {TENSOR: str(value.dtype).removeprefix("torch."), **entry}


def _in_bytes(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return {"shape": list(array.shape), "bytes": base64.b64encode(little.tobytes()).decode()}


def _unpacked(value: Any) -> Any:
    """The inverse of `_packed`."""
    if isinstance(value, list):
        return [_unpacked(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if TUPLE in value:
        return tuple(_unpacked(value[TUPLE]))
    if MAPPING in value:
        return {_unpacked(key): _unpacked(entry) for key, entry in value[MAPPING]}
    if ARRAY in value:
        dtype = np.dtype(value[ARRAY])
        if dtype.kind not in KINDS:
            raise TypeError(f"an array of {dtype}")
        numbers = np.frombuffer(base64.b64decode(value["bytes"]), dtype.newbyteorder("<"))
        return numbers.astype(dtype).reshape(value["shape"])
    if TENSOR in value:
        return _unpacked_tensor(value)
    return {key: _unpacked(entry) for key, entry in value.items()}


def _unpacked_tensor(value: Mapping[str, Any]) -> Tensor:
    """The tensor on the device that it was saved from.

    Raises:
        UserError: this machine has no such device.
    """
    import torch

    dtype, device = getattr(torch, value[TENSOR]), value["device"]
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"a tensor of {value[TENSOR]}")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UserError(f"was saved on {device}; this machine has no CUDA device; allowed: a machine with one")
    numbers = np.frombuffer(base64.b64decode(value["bytes"]), np.uint8).copy()
    flat = torch.from_numpy(numbers).view(dtype) if numbers.size else torch.empty(0, dtype=dtype)
    return flat.reshape(value["shape"]).to(device)


def difference(name: str, theirs: Any, ours: Any) -> tuple[str, Any, Any]:
    """The innermost setting that differs, as `policy.acquisition`, and both values; None for a missing value."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for key in (*ours, *theirs):
            if theirs.get(key) != ours.get(key):
                return difference(f"{name}.{key}" if name else key, theirs.get(key), ours.get(key))
    return name, theirs, ours


def require_parts(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise UserError if a state lacks a part that `ours` has."""
    for name in (None, "settings", "own"):
        wanted, present = (ours, theirs) if name is None else (ours[name], theirs[name])
        lacking = sorted(wanted.keys() - (present.keys() if isinstance(present, Mapping) else ()))
        if lacking:
            raise UserError(f"state of {theirs['optimizer']!r} lacks {', '.join(lacking)}; allowed: what `save` wrote")


def describe(value: Any) -> Any:
    """Settings by name, objects by their type and settings, functions by name, tensors by a digest.

    The variables that a function closes over are not seen: if settings matter to it, use a `partial` or a method.
    """
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(key): describe(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(entry) for entry in value]
    if (torch := sys.modules.get("torch")) is not None and isinstance(value, torch.Tensor):
        return hashlib.sha256(value.detach().cpu().numpy().tobytes()).hexdigest()[:16]
    if isinstance(value, partial):
        return {"function": describe(value.func), "arguments": describe(value.args), **describe(value.keywords)}
    if isinstance(value, MethodType):
        return {"function": value.__qualname__, "of": describe(value.__self__)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        given = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return {"type": type(value).__name__, **describe(given)}
    if hasattr(value, "__qualname__"):
        return value.__qualname__
    return {"type": type(value).__name__, **_plain_attributes(value)}


def _plain_attributes(value: Any) -> dict[str, Any]:
    """The public attributes that are plain values or sequences of them."""
    described = {}
    for name, attribute in getattr(value, "__dict__", {}).items():
        members = attribute if isinstance(attribute, (list, tuple)) else [attribute]
        if not name.startswith("_") and all(isinstance(member, PLAIN) for member in members):
            described[name] = describe(attribute)
    return described
