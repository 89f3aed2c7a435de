"""Settings of the toy paper."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from core.experiment.settings import Settings


class Fit(Settings):
    """Draws around a slope."""

    points: Annotated[int, Field(gt=0)]
    slope: float = 1.0
    noise: Annotated[float, Field(ge=0, le=1)] = 0.0
    kind: Literal["normal", "uniform"] = "normal"
    widths: list[Annotated[int, Field(gt=0)]] = Field([50], min_length=1)
    label: str = "plain"

    @model_validator(mode="after")
    def _noise_needs_points(self) -> Fit:
        if self.noise and self.points < 2:
            raise ValueError(f"points = {self.points} must be at least 2 where noise = {self.noise}")
        return self
