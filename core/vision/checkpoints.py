"""A training's state in a file, so that what a kill interrupts goes on where it was.

A file holds plain tensors, numbers and text below a checksum, since Torch reads a tensor with a flipped bit without a
word; reading one runs no code that is in it. It has a `key`, everything that the training depends on: a file of another
training is refused, a damaged one counts as none.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from core.foundation.errors import UserError
from core.foundation.files import with_checksum, without_checksum, write_whole

State = dict[str, Any]


def write_checkpoint(path: Path, key: str, state: State) -> None:
    """Write the state of a training, whole or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    content = io.BytesIO()
    torch.save({"key": key, **state}, content)
    write_whole(path, lambda stream: stream.write(with_checksum(content.getvalue())))


def read_checkpoint(path: Path, key: str, device: str | torch.device) -> State | None:
    """The state of a training; None if there is no file, or a damaged one.

    Raises:
        UserError: the file belongs to another training, or cannot be read.
    """
    if not path.exists():
        return None
    try:
        content = without_checksum(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    if content is None:
        return None
    state: State = torch.load(io.BytesIO(content), map_location=device, weights_only=True)
    stored_key = state.pop("key")
    if stored_key != key:
        raise UserError(f"{path}: is of another training, {stored_key}; this one is {key}; use another file")
    return state
