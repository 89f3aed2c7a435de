"""States of optimizers in files: only plain values, arrays and tensors are read, no code.

A file is one line with the SHA-256 of the rest, and the rest is what `torch.save` writes, which would restore a state
with a bit flipped without a word.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import UserError
from core.files import with_checksum, without_checksum, write_whole

FIRST_LINE = b"state of an optimizer, SHA-256 "
ARRAY = "numpy array"  # marks a tensor that was an array: arrays themselves cannot be read without running code


def write_state(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write a state: first to a temporary file, so that an interruption leaves the last one whole.

    Raises:
        UserError: the file cannot be written.
    """
    import torch

    content = io.BytesIO()
    torch.save(_packed(state), content)
    write_whole(Path(path), lambda stream: stream.write(FIRST_LINE + with_checksum(content.getvalue())))


def read_state(path: str | Path) -> dict[str, Any]:
    """The inverse of `write_state`.

    Raises:
        UserError: no such file, one that is truncated, was changed or holds something else, or tensors of a device that
            this machine lacks.
    """
    import torch

    try:
        whole = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if not whole.startswith(FIRST_LINE):
        raise UserError(
            f"{path}: is not a saved state of an optimizer, or one of an earlier version without a checksum"
        )
    content = without_checksum(whole.removeprefix(FIRST_LINE))
    if content is None:
        raise UserError(f"{path}: is damaged: its checksum is another; allowed: a state as `save` wrote it")
    try:
        state = _unpacked(torch.load(io.BytesIO(content), map_location=_own_device, weights_only=True))
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except Exception as error:
        raise UserError(f"{path}: is not a saved state of an optimizer: {type(error).__name__}") from error
    if not isinstance(state, dict):
        raise UserError(f"{path}: is not a saved state of an optimizer: it holds {type(state).__name__}")
    return state


def _own_device(storage: Any, location: str) -> Any:
    """The storage that `torch.load` read, to be moved to the device that it was saved from.

    Raises:
        UserError: this machine has no such device.
    """
    import torch

    if location.startswith("cuda") and not torch.cuda.is_available():
        raise UserError(f"was saved on {location}; this machine has no CUDA device; allowed: a machine with one")
    return None  # as torch itself restores it


def _packed(value: Any) -> Any:
    """The value with arrays as marked tensors and NumPy numbers as Python numbers."""
    if isinstance(value, Mapping):
        return {key: _packed(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_packed(entry) for entry in value)
    if isinstance(value, np.ndarray):
        import torch

        return {ARRAY: torch.from_numpy(value.copy())}
    return value.item() if isinstance(value, np.generic) else value


def _unpacked(value: Any) -> Any:
    """The inverse of `_packed`."""
    if isinstance(value, dict):
        if value.keys() == {ARRAY}:
            return value[ARRAY].numpy()
        return {key: _unpacked(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_unpacked(entry) for entry in value)
    return value
