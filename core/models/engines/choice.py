"""The choice of an engine for a problem. Both take the same steps, up to rounding and the source of random numbers:

torch       for every sampler of `core.samplers` and every device, see `reference`
compiled    numba on the CPU, for SGHMC and scale-adapted SGHMC with tanh units in float32, see `compiled`
"""

from collections.abc import Sequence
from typing import Any, get_args

import torch
from torch import Tensor

from core.errors import UserError
from core.models.engines.compiled import CompiledEngine, CompiledSampler
from core.models.engines.problem import Engine, Problem
from core.models.engines.reference import ReferenceEngine
from core.models.network import MLP
from core.samplers import Sampler


def make_engine(
    name: str, problem: Problem[MLP], sampler: Sampler[Any], state: Any, generators: Sequence[torch.Generator]
) -> Engine:
    """Make the engine "torch" or "compiled"; "auto" chooses the compiled engine where it applies.

    Args:
        state: State of the sampler, (chains, P_w + 1), from which the chains start.
        generators: Generators, one per run, on the state's device.

    Raises:
        UserError: another name, or "compiled" for what it does not cover.
    """
    obstacle = _compiled_obstacle(problem, sampler, state.position)
    if name == "compiled" and obstacle:
        raise UserError(f"engine: 'compiled' does not cover {obstacle}; choose 'auto' or 'torch'")
    if name not in ("auto", "torch", "compiled"):
        raise UserError(f"engine: must be 'auto', 'torch' or 'compiled', got {name!r}")
    if name != "torch" and not obstacle and isinstance(sampler, CompiledSampler):
        return CompiledEngine(problem, sampler, state, generators)
    return ReferenceEngine(problem, sampler, state, generators)


def require_compiled(model: Any) -> None:
    """Check the settings of a Bayesian network that only its own compiled engine samples, from a cold start.

    Raises:
        UserError: naming the setting that no compiled engine covers.
    """
    for name, value, allowed in (
        ("activation", model.activation, ("tanh",)),
        ("engine", model.engine, ("auto", "compiled")),
        ("warm_burn_in", model.warm_burn_in, (None,)),
        ("device", model.device.type, ("cpu",)),
        ("sampler", type(model.sampler), get_args(CompiledSampler)),
    ):
        if value not in allowed:
            raise UserError(f"{type(model).__name__}.{name}: must be one of {allowed}, got {value!r}")


def _compiled_obstacle(problem: Problem[MLP], sampler: Sampler[Any], theta: Tensor) -> str | None:
    if type(sampler) not in get_args(CompiledSampler):
        return f"the sampler {type(sampler).__name__}"
    if problem.network.activation != "tanh":
        return f"{problem.network.activation} units"
    if theta.device.type != "cpu" or theta.dtype != torch.float32:
        return f"{theta.dtype} on {theta.device}"
    return None
