"""Settings of DNGO's experiments. Imports no torch, the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.experiment.schema import Settings

Count = Annotated[int, Field(gt=0)]


class Activations(Settings):
    """DNGO with one kind of units on the sinc toy, evaluated beyond its data."""

    activation: Literal["tanh", "relu", "relu+tanh"]
    widths: Annotated[tuple[Count, ...], Field(min_length=1)] = (50, 50, 50)
    points: Count = 20
    epochs: Count = 2000
