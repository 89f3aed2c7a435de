"""A training's state in a file, so that what a kill interrupts goes on where it was.

A file holds plain tensors, numbers and text; reading one runs no code that is in it. It has a `key`, everything that
the training depends on: a file of another training is refused, a damaged one counts as none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from core.errors import UserError
from core.files import write_whole

State = dict[str, Any]


def write_checkpoint(path: Path, key: str, state: State) -> None:
    """Write the state of a training, whole or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    write_whole(path, lambda stream: torch.save({"key": key, **state}, stream))


def read_checkpoint(path: Path, key: str, device: str | torch.device) -> State | None:
    """The state of a training; None if there is no file, or a damaged one.

    Raises:
        UserError: the file belongs to another training, or cannot be read.
    """
    if not path.exists():
        return None
    try:
        state: State = torch.load(path, map_location=device, weights_only=True)
        found = state.pop("key")
    except PermissionError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except Exception:  # a damaged archive can make its reader raise almost anything
        return None
    if found != key:
        raise UserError(f"{path}: is of another training, {found}; this one is {key}; use another file")
    return state
