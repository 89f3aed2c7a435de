"""Real workers, started once a module."""

import pytest

from core.study import local_workers


@pytest.fixture(scope="module")
def address():
    """Of a scheduler with two workers."""
    with local_workers(2) as scheduler:
        yield scheduler
