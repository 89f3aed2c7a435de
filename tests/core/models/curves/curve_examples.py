"""Synthetic learning curves whose shape depends on four hyperparameters."""

import numpy as np


def falling_curves(n=60, epochs=20, noise=0.003, seed=0):
    """Configurations (n, 4) and errors (n, epochs) that fall as powers of the epoch."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 4))
    epoch = np.arange(1, epochs + 1)
    asymptote = 0.1 + 0.5 * x[:, 0] ** 2 + 0.1 * np.sin(5 * x[:, 1])
    rate = 0.5 + 1.5 * x[:, 3]
    fall = (0.3 + 0.4 * x[:, 2])[:, None] * (epoch ** -rate[:, None] - epochs ** -rate[:, None])
    return x, asymptote[:, None] + fall + noise * rng.standard_normal((n, epochs))


def hide(curves, lengths):
    """Curves with nan after their first `lengths` epochs."""
    return np.where(np.arange(curves.shape[1]) < np.asarray(lengths)[..., None], curves, np.nan)
