"""Results with known answers, in the place of raw runs."""

from __future__ import annotations

import pytest

from tests.papers import runs


class Fake(runs.Fake):
    """Results of which the runs of Gaussian processes on HPOlib's functions are below the paper's protocol."""

    def whole_cells(self) -> Fake:
        return Fake(**{name: frame for name, frame in self.frames.items() if name != "hpolib_gp"})


@pytest.fixture
def fake() -> type[Fake]:
    return Fake
