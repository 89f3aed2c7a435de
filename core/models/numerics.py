"""Failures of linear algebra as failures of the model that needed it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from core.foundation.errors import ModelError


@contextmanager
def linear_algebra() -> Iterator[None]:
    """Context in which a matrix that cannot be decomposed raises a ModelError; for policies, which fit and search."""
    try:
        yield
    except (torch.linalg.LinAlgError, np.linalg.LinAlgError) as error:  # type: ignore[attr-defined]  # not in __all__
        raise ModelError(f"linear algebra: {error}") from error
