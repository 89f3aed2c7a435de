"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import UserError


def cannot_be_written(path: Path, error: OSError, when_full: str = "nothing of it was kept") -> str:
    """The message for the user; `when_full` says, where the disk is full, what was kept and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        free = shutil.disk_usage(folder).free / 2**20
        return f"{path}: no space left on the device ({free:.1f} MiB free in {folder}); {when_full}"
    return f"{path}: cannot be written: {error.strerror or error}"


def write_whole(
    path: Path, write: Callable[[BinaryIO], Any], explain: Callable[[Path, OSError], str] = cannot_be_written
) -> None:
    """Write under a temporary name in the same folder, flush to the disk and rename.

    A reader sees the old file, the new one or none. The name is `.NAME.PID.tmp`.

    Args:
        write: called with the open file.
        explain: turns an error into a message.

    Raises:
        UserError: the disk is full or the folder cannot be written; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(explain(path, error)) from error
    finally:
        with suppress(OSError):  # if the folder could not be made there is nothing to remove
            temporary.unlink()
