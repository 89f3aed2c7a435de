"""The choice of an engine for a problem. All take the same steps, up to rounding and the source of random numbers:

torch       for every sampler of `core.samplers` and every device, see `reference`
compiled    numba on the CPU, for SGHMC and scale-adapted SGHMC with tanh units in float32, see `compiled`
fused       Triton on CUDA devices, for the same with up to three hidden layers of 64 units, see `fused`
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, get_args

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.models.engines.compiled import CompiledEngine
from core.models.engines.fused import FusedEngine
from core.models.engines.fused import obstacle as fused_obstacle
from core.models.engines.padded import PaddedSampler
from core.models.engines.problem import Engine, Problem
from core.models.engines.reference import ReferenceEngine
from core.models.network import MLP
from core.samplers import Sampler

ENGINES: dict[str, Any] = {"torch": ReferenceEngine, "compiled": CompiledEngine, "fused": FusedEngine}


def make_engine(
    name: str, problem: Problem[MLP], sampler: Sampler[Any], state: Any, generators: Sequence[torch.Generator]
) -> Engine:
    """Make the engine "torch", "compiled" or "fused"; "auto" chooses one of the latter where it applies.

    Args:
        state: State of the sampler, (chains, P_w + 1), from which the chains start.
        generators: Generators, one per run, on the state's device.

    Raises:
        UserError: another name, or an engine that does not cover the problem.
    """
    if name not in ("auto", *ENGINES):
        raise UserError(f"engine: must be 'auto', {', '.join(map(repr, ENGINES))}, got {name!r}")
    theta = state.position
    fast = "compiled" if theta.device.type == "cpu" else "fused"
    wanted = fast if name == "auto" else name
    obstacle = None if wanted == "torch" else _obstacle(wanted, problem, sampler, theta)
    if obstacle and name != "auto":
        raise UserError(f"engine: {name!r} does not cover {obstacle}; choose 'auto' or 'torch'")
    engine: Engine = ENGINES["torch" if obstacle else wanted](problem, sampler, state, generators)
    return engine


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
        ("sampler", type(model.sampler), get_args(PaddedSampler)),
    ):
        if value not in allowed:
            raise UserError(f"{type(model).__name__}.{name}: must be one of {allowed}, got {value!r}")


def _obstacle(engine: str, problem: Problem[MLP], sampler: Sampler[Any], theta: Tensor) -> str | None:
    """What the compiled or the fused engine does not cover, if anything."""
    if type(sampler) not in get_args(PaddedSampler):
        return f"the sampler {type(sampler).__name__}"
    if problem.network.activation != "tanh":
        return f"{problem.network.activation} units"
    if theta.device.type != ("cpu" if engine == "compiled" else "cuda") or theta.dtype != torch.float32:
        return f"{theta.dtype} on {theta.device}"
    if engine == "compiled":
        return None
    return fused_obstacle(problem) if find_spec("triton") else "an installation without Triton"
