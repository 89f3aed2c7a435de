"""The device that computed a raw-run file, in its provenance: "cpu", "cuda", or "cuda (NVIDIA H200)".

Does not import torch, since the Snakefile reads what files cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def device_model(device: str) -> str:
    """A device with its model, `cuda (NVIDIA H200)`; the CPU's is part of `machine`."""
    if not device.startswith("cuda"):
        return device
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})"


def on_cpu(notes: Mapping[str, Any]) -> bool:
    """Whether all repetitions of a file were computed on CPUs."""
    return bool(notes.get("device", "cpu") == "cpu")
