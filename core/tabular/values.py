"""The hyperparameters of the tabular benchmarks and their values (thesis Table 7.2). Imports nothing that takes time.

Names and values are those of the published files: `lr_schedule` is "const" there, "fix" in Table 7.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

WIDTHS = (16, 32, 64, 128, 256, 512)

VALUES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "init_lr": (0.0005, 0.001, 0.005, 0.01, 0.05, 0.1),
        "batch_size": (8, 16, 32, 64),
        "lr_schedule": ("cosine", "const"),
        "activation_fn_1": ("relu", "tanh"),
        "activation_fn_2": ("relu", "tanh"),
        "n_units_1": WIDTHS,
        "n_units_2": WIDTHS,
        "dropout_1": (0.0, 0.3, 0.6),
        "dropout_2": (0.0, 0.3, 0.6),
    }
)
"""Table 7.2, in its order."""

LABELS = {
    "protein": "HPO-Bench-Protein",
    "slice_localization": "HPO-Bench-Slice",
    "naval": "HPO-Bench-Naval",
    "parkinsons": "HPO-Bench-Parkinson",
}
"""The thesis' names of the benchmarks, in its order; a set that is not in the thesis keeps its own name."""

CATEGORICAL = ("lr_schedule", "activation_fn_1", "activation_fn_2")
