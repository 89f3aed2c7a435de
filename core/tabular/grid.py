"""The configurations of the tabular benchmarks (thesis Table 7.2), all 62,208 or a part, and their numbering.

    FCNET                                                   # the whole grid
    small = FCNET.restricted(batch_size=(64,), n_units_1=(16, 32, 64))
    small.configurations(np.arange(3))                      # positions to dictionaries
    small.positions(configurations)                         # and back

A grid is the product of the values of its hyperparameters. A position counts its configurations in C order, the last
hyperparameter fastest; an index is the position in the whole grid, the same for every part of it. Numbers are ordinal
and all others categorical (7.1), so that in the unit cube of `core.spaces` the values are equidistant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.foundation.errors import UnknownNameError, UserError, brief
from core.tabular.values import CATEGORICAL, VALUES

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

Configuration = Mapping[str, Any]

_values = itemgetter(*VALUES)


@dataclass(frozen=True)
class Grid:
    """A product of values.

    Attributes:
        values: Values of each hyperparameter of Table 7.2, in its order: some of the table's values, in the table's
            order.

    Raises:
        UserError: a name or a value that is not in Table 7.2, a missing name, or values out of order.
    """

    values: Mapping[str, tuple[Any, ...]]

    def __post_init__(self) -> None:
        for name in self.values:
            if name not in VALUES:
                raise UnknownNameError("hyperparameter", name, VALUES)
        if list(self.values) != list(VALUES):
            raise UserError(f"grid over {', '.join(self.values)}; allowed: all of {', '.join(VALUES)}, in this order")
        for name, chosen in self.values.items():
            if not chosen or list(chosen) != [value for value in VALUES[name] if value in chosen]:
                raise UserError(f"grid: {name} = {list(chosen)}; allowed: some of {list(VALUES[name])}, in this order")

    def restricted(self, **values: Sequence[Any]) -> Grid:
        """The part of this grid with only these values; hyperparameters that are not named keep theirs."""
        for name in values:
            if name not in self.values:
                raise UnknownNameError("hyperparameter", name, self.values)
        return Grid({name: tuple(values.get(name, own)) for name, own in self.values.items()})

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each hyperparameter."""
        return tuple(map(len, self.values.values()))

    @property
    def size(self) -> int:
        """Number of configurations."""
        return int(np.prod(self.shape))

    @property
    def varied(self) -> tuple[str, ...]:
        """The hyperparameters with more than one value."""
        return tuple(name for name, own in self.values.items() if len(own) > 1)

    @property
    def description(self) -> str:
        """The number of configurations and the restrictions of Table 7.2, in words."""
        cut = [f"{name} {', '.join(map(str, own))}" for name, own in self.values.items() if own != VALUES[name]]
        whole = f"{self.size:,} configurations"
        return f"{whole}, the whole grid" if not cut else f"{whole} of {FCNET.size:,}: {'; '.join(cut)}"

    @cached_property
    def space(self) -> ConfigurationSpace:
        """Ordinal numbers and categorical names; hyperparameters with one value are constant to `core.spaces`."""
        # Imported here: ConfigSpace imports scipy.stats, which reading and drawing tables do not need.
        from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, OrdinalHyperparameter

        space = ConfigurationSpace(name="FC-Net grid")
        for name, own in self.values.items():
            kind = CategoricalHyperparameter if name in CATEGORICAL else OrdinalHyperparameter
            space.add(kind(name, list(own)))
        return space

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """The index of each position, (size,), ascending."""
        levels = [[VALUES[name].index(value) for value in own] for name, own in self.values.items()]
        axes = np.meshgrid(*levels, indexing="ij")
        return np.ravel_multi_index([axis.ravel() for axis in axes], FULL_SHAPE)

    def levels(self, positions: ArrayLike) -> NDArray[np.int64]:
        """Positions (n,) to indices of values (n, 9).

        Raises:
            UserError: a position outside the grid.
        """
        positions = np.asarray(positions)
        if positions.size and not 0 <= positions.min() <= positions.max() < self.size:
            raise UserError(f"position {positions.min()} or {positions.max()}; allowed: 0 to {self.size - 1}")
        return np.stack(np.unravel_index(positions, self.shape), axis=-1)

    def configurations(self, positions: ArrayLike) -> list[dict[str, Any]]:
        """Positions (n,) to n dictionaries; raises as `levels`."""
        columns = [[own[i] for i in level] for own, level in zip(self.values.values(), self.levels(positions).T)]
        return [dict(zip(self.values, row)) for row in zip(*columns)]

    def positions(self, configurations: Sequence[Configuration]) -> NDArray[np.int64]:
        """Configurations to positions (n,).

        Raises:
            UserError: a hyperparameter that is missing, unknown, or has a value not on the grid.
        """
        try:
            positions = [self._places[_values(configuration)] for configuration in configurations]
        except (KeyError, TypeError):
            self._explain(configurations)
        if any(len(configuration) != len(VALUES) for configuration in configurations):
            self._explain(configurations)
        return np.array(positions, dtype=np.int64)

    def positions_of(self, indices: ArrayLike) -> NDArray[np.int64]:
        """Indices (n,) to positions (n,).

        Raises:
            UserError: an index of a configuration that is not on this grid.
        """
        indices = np.asarray(indices, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.indices, indices), self.size - 1)
        if (absent := self.indices[places] != indices).any():
            raise UserError(f"index {indices[absent][0]} is not on this grid ({self.description})")
        return places

    @cached_property
    def _places(self) -> dict[tuple[Any, ...], int]:
        """The position of each tuple of values."""
        return {values: position for position, values in enumerate(product(*self.values.values()))}

    def _explain(self, configurations: Sequence[Configuration]) -> NoReturn:
        for number, configuration in enumerate(configurations):
            for name in configuration:
                if name not in self.values:
                    raise UnknownNameError(f"hyperparameter of configuration {number},", name, self.values)
            for name, own in self.values.items():
                if name not in configuration:
                    raise UserError(f"configuration {number}: {name!r} is missing")
                if (value := configuration[name]) not in own:
                    raise UserError(
                        f"configuration {number}: {name} = {brief(value)}; allowed: {', '.join(map(str, own))}"
                    )
        raise AssertionError("every configuration is on the grid")


FULL_SHAPE = tuple(map(len, VALUES.values()))
FCNET = Grid(VALUES)
"""The whole grid of Table 7.2."""
