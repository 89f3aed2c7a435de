"""Real workers, started once a module, on a machine whose port 8787 is taken: by another study, for one."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from core.study import local_workers


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[str, list[str]]]:
    """The address of a scheduler with two workers, and what was warned of while they started."""
    with ExitStack() as stack:
        taken = stack.enter_context(socket.socket())
        with suppress(OSError):  # somebody has it already
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            scheduler = stack.enter_context(local_workers(2))
        yield scheduler, [str(warning.message) for warning in said]


@pytest.fixture(scope="module")
def address(started: tuple[str, list[str]]) -> str:
    """Of a scheduler with two workers."""
    return started[0]
