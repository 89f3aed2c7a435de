"""LC-Net's basis functions as figures, tables and claims see them: random draws, and formulas from the code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DRAWS = 50  # of each function, as in Fig 5.1
POINTS = 200
SEED = 51


def basis_draws() -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """t (POINTS,), from near 0 to 1, and by function its values for uniform parameters, (DRAWS, POINTS)."""
    import torch

    from core.models.curves.basis import BASIS

    t = np.linspace(0, 1, POINTS + 1)[1:]
    generator = np.random.default_rng(SEED)
    values = {}
    for function in BASIS:
        theta = torch.from_numpy(generator.random((function.parameters, DRAWS, 1)))
        values[function.name] = function.evaluate(torch.from_numpy(t), *theta).numpy()
    return t, values


def formulas() -> dict[str, str]:
    """The formula of each function by name, and an empty one of the log function, which only the thesis has."""
    from core.models.curves.basis import BASIS

    return {function.name: function.formula for function in BASIS} | {"log function": ""}
