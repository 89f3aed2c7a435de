"""The compiled engine for LC-Net: `compiled` with batches of curves, see `core.compiled.curve_gradient`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.compiled.curve_gradient import CurveData, CurveLayout, make_curve_layout, padded_curve_places
from core.compiled.curve_sghmc import compile_curve_advance
from core.compiled.layout import padded_rows
from core.models.engines.compiled import CompiledEngine
from core.models.engines.problem import Problem
from core.models.network import MLP


@dataclass(frozen=True)
class CurveProblem(Problem[MLP]):
    """The posterior of networks given curves: `y` is (R, n, T), 0 where not observed; a batch consists of curves.

    Attributes:
        lengths: Numbers of observed epochs of each curve, (R, n) int64, at least 0.
        times: Times t of the epochs, (T,).
        amplitude: Factor A of the residuals in each run, (R,).
    """

    lengths: Tensor
    times: Tensor
    amplitude: Tensor


class CurveEngine(CompiledEngine):
    """Chains of LC-Nets in flat float32 arrays."""

    problem: CurveProblem
    compile = staticmethod(compile_curve_advance)

    def _prepare(self) -> tuple[CurveLayout, NDArray[np.int64], CurveData]:
        problem = self.problem
        layout = make_curve_layout(problem.network.sizes, problem.batch)
        lengths, times = problem.lengths.numpy(), problem.times.double().numpy()
        y = problem.y.numpy()
        seen = np.arange(y.shape[-1]) < lengths[..., None]
        time = padded_rows(times)
        time[len(times) :] = 1.0
        data = CurveData(
            X=padded_rows(problem.X.numpy()),
            y=padded_rows(np.where(seen, y, 0.0)),
            seen=padded_rows(seen.astype(np.float32)),
            lengths=lengths,
            time=time,
            log_time=np.log(time),
            inverse_time=1 / time,
            amplitude=problem.amplitude.numpy().astype(np.float32),
            batch=problem.batch,
            chains_per_run=problem.chains_per_run,
        )
        return layout, padded_curve_places(layout), data
