"""Learning curves as given, checked: configurations (n, d), and for each the values of its first epochs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.validation import require_count

OTHERS = 0.75  # share of the curves that tell how far values usually reach
FAR = 100.0  # factor on that from which a value would set the unit in which all curves are fitted


@dataclass(frozen=True)
class ObservedCurves:
    """Curves observed up to some epoch each; all have the same number of epochs T when complete, t = epoch / T.

    Attributes:
        configurations: Configurations (n, d) float64.
        values: Values (n, T) float64, nan after a curve's last observed epoch.
        lengths: Numbers (n,) int64 of observed epochs, at least 1.
    """

    configurations: NDArray[np.float64]
    values: NDArray[np.float64]
    lengths: NDArray[np.int64]

    @property
    def epochs(self) -> int:
        """T."""
        return int(self.values.shape[1])

    @property
    def times(self) -> NDArray[np.float64]:
        """t of every epoch: (T,), from 1/T to 1."""
        return np.arange(1, self.epochs + 1) / self.epochs

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Where a value has been observed: (n, T)."""
        return np.arange(self.epochs) < self.lengths[:, None]

    @property
    def last(self) -> NDArray[np.float64]:
        """The last observed value of each curve: (n,)."""
        return self.values[np.arange(len(self.values)), self.lengths - 1]

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Every observation on its own: (configuration, t), (N, d + 1), and its value, (N,)."""
        curve, epoch = np.nonzero(self.seen)
        inputs = np.column_stack([self.configurations[curve], self.times[epoch]])
        return inputs, self.values[curve, epoch]


def observed_curves(configurations: Any, curves: Any, epochs: int | None = None) -> ObservedCurves:
    """Check configurations and their curves.

    Args:
        configurations: Numbers (n, d).
        curves: Values (n, T) with nan for epochs not observed yet, which must be the last of a curve; or n sequences of
            at least one value each.
        epochs: Number T of epochs of a complete curve; None for the number of columns or the longest sequence.

    Raises:
        UserError: shapes that do not fit together, a curve without an observation, with nan between observed values,
            with an infinite value or more epochs than `epochs`.
    """
    configurations = numbers("configurations", configurations)
    if configurations.ndim != 2 or 0 in configurations.shape:
        raise UserError(f"configurations: have shape {configurations.shape}; allowed: (n, d), neither of them 0")
    if not np.isfinite(configurations).all():
        row, column = np.argwhere(~np.isfinite(configurations))[0]
        raise UserError(f"configurations[{row}, {column}] is {configurations[row, column]}; allowed: finite numbers")
    values = _padded(curves)
    if len(values) != len(configurations):
        raise UserError(f"curves: {len(values)} for {len(configurations)} configurations; allowed: one for each")
    if epochs is None:
        epochs = values.shape[1]
    epochs = require_count("epochs", epochs)
    observed = ~np.isnan(values)
    lengths = np.where(observed.any(1), values.shape[1] - observed[:, ::-1].argmax(1), 0)
    _check_lengths(observed, lengths, epochs)
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise UserError(f"curves[{row}][{column}] is {values[row, column]}; allowed: finite values, or nan at the end")
    whole = np.full((len(values), epochs), np.nan)
    width = min(epochs, values.shape[1])
    whole[:, :width] = values[:, :width]
    return ObservedCurves(configurations, whole, lengths.astype(np.int64))


def without_outliers(observed: ObservedCurves, model: str) -> ObservedCurves:
    """The curves, with values that lie far from all others clipped, which is warned of.

    A training that diverges reaches 1e10 where the others differ by 1; models that fit all curves in one unit would
    then take the others for equal. With D the distance from the median of all values within which three quarters of
    the curves stay, values farther than `FAR` D from it are moved to 2 D.
    """
    middle = np.nanmedian(observed.values)
    with np.errstate(over="ignore"):
        distances = np.nan_to_num(np.abs(observed.values - middle), nan=0.0)
    reach = np.sort(distances.max(1))
    usual = reach[max(1, int(OTHERS * len(reach))) - 1]
    if len(reach) < 2 or usual == 0 or not reach[-1] > FAR * usual:
        return observed
    far = distances > FAR * usual
    low, high = middle - 2 * usual, middle + 2 * usual
    row, epoch = np.unravel_index(distances.argmax(), distances.shape)
    warnings.warn(
        f"{model}: curves[{row}][{epoch}] is {observed.values[row, epoch]:g}, so far from the other curves that it "
        f"would hide them; the {far.sum()} values beyond {FAR:g} times their reach are clipped to {low:g} or {high:g}",
        stacklevel=3,
    )
    return replace(observed, values=np.where(far, np.clip(observed.values, low, high), observed.values))


def check_times(t: Any) -> NDArray[np.float64]:
    """Convert times, a number or (k,), to an array.

    Raises:
        UserError: not in (0, 1], or of another shape.
    """
    times = numbers("t", t)
    if times.ndim > 1 or times.size == 0:
        raise UserError(f"t: has shape {times.shape}; allowed: a number or (k,)")
    wrong = ~((times > 0) & (times <= 1))
    if wrong.any():
        raise UserError(f"t is {times[wrong][0] if times.ndim else times[()]:g}; allowed: in (0, 1], epoch / epochs")
    return times


def check_configurations(configurations: Any, dimension: int) -> NDArray[np.float64]:
    """Check configurations to predict for, (m, d).

    Raises:
        UserError: of another shape than those fitted, or not finite.
    """
    checked = numbers("configurations", configurations)
    if checked.ndim != 2 or checked.shape[1] != dimension:
        raise UserError(f"configurations: have shape {checked.shape}; allowed: (m, {dimension}), as fitted")
    if not np.isfinite(checked).all():
        raise UserError("configurations: some are not finite; allowed: finite numbers")
    return checked


def numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Copy values to a float64 array. Raises UserError if they are not numbers or rows differ in length."""
    try:
        return np.array(values, dtype=np.float64, order="C")  # torch refuses negative strides
    except (TypeError, ValueError) as error:
        raise UserError(f"{name}: not an array of numbers ({error})") from error


def _padded(curves: Any) -> NDArray[np.float64]:
    """(n, T) with nan at the end, from an array or from sequences of different lengths."""
    if not hasattr(curves, "shape"):
        if isinstance(curves, str) or not isinstance(curves, Sequence):
            raise UserError(f"curves: a {type(curves).__name__}; allowed: an array (n, T) or n sequences of values")
        rows = [numbers(f"curves[{index}]", curve) for index, curve in enumerate(curves)]
        for index, row in enumerate(rows):
            if row.ndim != 1:
                raise UserError(f"curves[{index}]: has shape {row.shape}; allowed: (epochs,)")
        curves = np.full((len(rows), max((len(row) for row in rows), default=0)), np.nan)
        for index, row in enumerate(rows):
            curves[index, : len(row)] = row
    values = numbers("curves", curves)
    if values.ndim != 2 or 0 in values.shape:
        raise UserError(f"curves: have shape {values.shape}; allowed: (n, T), neither of them 0")
    return values


def _check_lengths(observed: NDArray[np.bool_], lengths: NDArray[np.int64], epochs: int) -> None:
    if (lengths == 0).any():
        raise UserError(f"curves[{lengths.argmin()}]: no epoch is observed; allowed: at least one value")
    gaps = lengths != observed.sum(1)
    if gaps.any():
        row = int(gaps.argmax())
        epoch = int((~observed[row]).argmax())
        raise UserError(
            f"curves[{row}][{epoch}] is nan before an observed value; allowed: nan after a curve's last observed epoch"
        )
    if (lengths > epochs).any():
        row = int((lengths > epochs).argmax())
        raise UserError(f"curves[{row}]: {lengths[row]} epochs are observed; allowed: at most epochs = {epochs}")
