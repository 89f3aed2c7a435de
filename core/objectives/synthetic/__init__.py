"""Synthetic functions, all minimized, by name and as the lists that experiments run over."""

from core.foundation.errors import UnknownNameError
from core.objectives.synthetic.classic import (
    bohachevsky,
    branin,
    brofos_quartic,
    camelback,
    forrester,
    gaussian_mixture,
    goldstein_price,
    levy,
    levy_of,
    rosenbrock,
    rosenbrock_of,
    sin_one,
    sin_two,
    sinc,
)
from core.objectives.synthetic.function import SyntheticFunction
from core.objectives.synthetic.hartmann import hartmann3, hartmann4, hartmann4_rescaled, hartmann6

# The functions of thesis Fig A.1: the text names three of its eight panels; these ten are the authors' own list.
FIGURE_A1 = (
    branin,
    hartmann3,
    hartmann6,
    camelback,
    goldstein_price,
    rosenbrock,
    sin_one,
    sin_two,
    bohachevsky,
    levy,
)
FUNCTIONS = {
    function.name: function
    for function in (
        *FIGURE_A1,
        hartmann4,
        hartmann4_rescaled,
        forrester,
        sinc,
        brofos_quartic,
        gaussian_mixture,
    )
}


def lookup(name: str) -> SyntheticFunction:
    """A function by its name. Raises UnknownNameError, with the nearest names."""
    if name not in FUNCTIONS:
        raise UnknownNameError("synthetic function", name, FUNCTIONS)
    return FUNCTIONS[name]


__all__ = [
    "FIGURE_A1",
    "FUNCTIONS",
    "SyntheticFunction",
    "bohachevsky",
    "branin",
    "brofos_quartic",
    "camelback",
    "forrester",
    "gaussian_mixture",
    "goldstein_price",
    "hartmann3",
    "hartmann4",
    "hartmann4_rescaled",
    "hartmann6",
    "levy",
    "levy_of",
    "lookup",
    "rosenbrock",
    "rosenbrock_of",
    "sin_one",
    "sin_two",
    "sinc",
]
