"""Linear algebra that fails, as a failure of the model that needed it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from core.errors import ModelError


@contextmanager
def linear_algebra() -> Iterator[None]:
    """Within it, a matrix that cannot be decomposed is a ModelError: for policies, which fit a model and search."""
    try:
        yield
    except (torch.linalg.LinAlgError, np.linalg.LinAlgError) as error:
        raise ModelError(f"linear algebra: {error}") from error
