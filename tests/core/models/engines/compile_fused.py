"""Compile the fused kernel for an NVIDIA H100, which takes no device, as `python -m` with the name of this module.

Prints the bytes of shared memory of each case. The interpreter runs statements that a compiler would refuse.
"""

from triton import compile as compile_kernel
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from core.fused.sghmc import advance
from core.models.engines.fused import PRODUCTS, WARPS

H100 = GPUTarget("cuda", 90, 32)
INTEGERS = ("stride", "steps", "first_step", "N", "batch", "chains_per_run")
NUMBERS = ("points", "noise_mean", "noise_variance", "squared_step", "decay", "correction")
OTHERS = {"order": "*i32", "seeds": "*i64"} | dict.fromkeys(INTEGERS, "i32") | dict.fromkeys(NUMBERS, "fp32")
CASES = (
    {"HIDDEN": 3, "D": 64, "H": 64, "ROWS": 64, "SIZE": 12544, "WHOLE": False, "SIGMOID": False},
    {"HIDDEN": 1, "D": 16, "H": 16, "ROWS": 16, "SIZE": 320, "WHOLE": True, "SIGMOID": True},
)


def shared_memory(case: dict[str, int], adapting: bool) -> int:
    """Bytes of shared memory that the compiled kernel takes."""
    names = advance.arg_names
    constants = {**case, "ADAPTING": adapting, "FORWARD": PRODUCTS[0], "BACKWARD": PRODUCTS[1]}
    kinds = {name: "constexpr" if name in constants else OTHERS.get(name, "*fp32") for name in names}
    source = ASTSource(advance, kinds, {(names.index(name),): value for name, value in constants.items()})
    compiled = compile_kernel(source, target=H100, options={"num_warps": WARPS})
    return int(compiled.metadata.shared)


if __name__ == "__main__":
    print([shared_memory(case, adapting) for case in CASES for adapting in (True, False)])
