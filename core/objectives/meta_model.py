"""PROFET's meta-model of a class of tasks, fitted to the values of real tasks at the same points (thesis 8.2.2, E.6).

    model = MetaModel.fit("svm", values, points, names, generator, seconds=seconds)
    model.tasks(range(1000))                            # see `core.objectives.generated_tasks`

The encoder gives each task's q(h_t); a Bayesian network on (x, h) is sampled for the values, another for the cost. As
in the authors' code, errors in [0, 1] are modelled as they are by a network with a sigmoid at its end; other positive
values, and the cost in seconds always, by the standardized logarithm. The authors rescale the noise of the latter
wrongly, here it is right: `Noise` adds it to the standardized logarithm.

Meta-models in files: arrays in NumPy's format without pickle, and a digest that says which model a run used.

digest = save(model, "svm.npz")
model, digest = load("svm.npz", "svm")

Values of many tasks at once, each a network of its own over the configuration and the task's latent vector.

    z_t(x) = h(x, h_t; theta_i(t)),    f_t(x) = sigmoid(z_t), exp(m + s z_t) or m + s z_t            (thesis 8.2.3)

`TaskFunctions` holds M sampled weight vectors; task t has the i(t)-th and a latent vector. Networks are bound by
reading their weights: tasks that share weights pass through them together, so that M weight vectors are read once
however many tasks there are. (At one point each, torch's batched products read them twice as fast as
`core.compiled.prediction`, which is made for many points.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.tables import DamagedArraysError, read_arrays
from core.foundation.errors import UnavailableError, UserError
from core.foundation.files import write_whole
from core.foundation.randomness import make_generators
from core.models.meta_models import MetaNetwork, TaskEncoder
from core.models.network import MLP

Kind = Literal["error", "positive", "real"]
KINDS = get_args(Kind)
"""What values are: errors in [0, 1], sigmoids of z; positive, exponentials of the unstandardized z; or any, z itself
unstandardized."""


@dataclass(frozen=True)
class TaskFunctions:
    """The functions that a `MetaNetwork` learned for one quantity.

    Attributes:
        widths: Widths of the hidden layers.
        weights: Weight vectors, (M, P) float32.
        noise: Variances of the observations in the network's units, (M,).
        center, spread: Location and scale of the inputs (x, h), (d + Q,), which the network sees standardized.
        kind: Kind of the values, see `KINDS`.
        location, scale: Constants m and s; 0 and 1 for errors.
    """

    widths: tuple[int, ...]
    weights: Tensor
    noise: Tensor
    center: Tensor
    spread: Tensor
    kind: Kind
    location: float
    scale: float

    @classmethod
    def of(cls, model: MetaNetwork, kind: Kind) -> TaskFunctions:
        """The functions of a network that was fitted to one data set, of values or of their logarithms."""
        return cls(
            widths=model.widths,
            weights=model.samples[:, 0],
            noise=model.noise_variance[:, 0, 0].double(),
            center=model.inputs.mean[0, 0].double(),
            spread=model.inputs.scale[0, 0].double(),
            kind=kind,
            location=float(model.targets.mean),
            scale=float(model.targets.scale),
        )

    @property
    def samples(self) -> int:
        """M."""
        return len(self.weights)

    @property
    def network(self) -> MLP:
        """The architecture."""
        return MLP((len(self.center), *self.widths, 1))

    def at(self, samples: Tensor, latent: Tensor) -> FunctionsOfTasks:
        """The functions of T tasks with these weight vectors, (T,) numbers below M, and latent vectors (T, Q)."""
        return FunctionsOfTasks(self, samples, latent)

    def values(self, outputs: Tensor) -> Tensor:
        """f from z, elementwise."""
        if self.kind == "error":
            return outputs.sigmoid()
        values = self.location + self.scale * outputs
        return values.exp() if self.kind == "positive" else values

    def noisy(self, outputs: Tensor, deviation: Tensor, normals: Tensor) -> Tensor:
        """Observations: noise is added where the network models it, to errors as they are, to logarithms of others."""
        if self.kind == "error":
            return outputs.sigmoid() + deviation * normals
        return self.values(outputs + deviation * normals)


@dataclass(frozen=True)
class FunctionsOfTasks:
    """The functions of T tasks, grouped by their weights."""

    functions: TaskFunctions
    samples: Tensor
    latent: Tensor

    def __call__(self, X: Tensor) -> Tensor:
        """Noise-free values of every task at its own points, differentiable in these.

        Args:
            X: Points of the unit cube, (T, n, d) float64.

        Returns:
            (T, n) float64.
        """
        return self.functions.values(self.outputs(X))

    def observe(self, X: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]:
        """Noise-free values and noisy ones, (T, n) each, given standard normals (T, n)."""
        outputs = self.outputs(X)
        deviation = self.functions.noise[self.samples].sqrt().unsqueeze(-1)
        return self.functions.values(outputs), self.functions.noisy(outputs, deviation, normals)

    def outputs(self, X: Tensor) -> Tensor:
        """z, (T, n)."""
        n = X.shape[1]
        inputs = torch.cat([X, self.latent.unsqueeze(1).expand(-1, n, -1)], -1)
        standard = ((inputs - self.functions.center) / self.functions.spread).to(torch.float32)
        group, place, weights, size = self._groups
        together = standard.new_zeros(len(weights), size, n, inputs.shape[-1])
        together = together.index_put((group, place), standard)
        grouped = self.functions.network.forward(weights, together.flatten(1, 2))
        outputs: Tensor = grouped.unflatten(-1, (size, n))[group, place].double()
        return outputs

    @cached_property
    def _groups(self) -> tuple[Tensor, Tensor, Tensor, int]:
        """Each task's group and place in it, (T,), the groups' weights, and the size of the largest group."""
        used, group, counts = self.samples.unique(return_inverse=True, return_counts=True)
        order = group.argsort(stable=True)
        place = torch.empty_like(group)
        place[order] = torch.arange(len(group)) - (counts.cumsum(0) - counts).repeat_interleave(counts)
        whole = len(used) == self.functions.samples
        return group, place, self.functions.weights if whole else self.functions.weights[used], int(counts.max())


DRAWS = 5  # H, of the latent vector of every observation's task


@dataclass(frozen=True)
class MetaModel:
    """A meta-model.

    Attributes:
        name: Name of the class of tasks.
        names: Names of the T real tasks.
        encoder: Distributions q(h_t) of these tasks.
        loss: Functions of the configuration and the latent vector.
        cost: Functions for the cost in seconds; None if no seconds were given.
        worst: Largest value of the real tasks.
    """

    name: str
    names: tuple[str, ...]
    encoder: TaskEncoder
    loss: TaskFunctions
    cost: TaskFunctions | None
    worst: float

    @classmethod
    def fit(
        cls,
        name: str,
        values: Tensor,
        points: Tensor,
        names: Sequence[str],
        generator: torch.Generator,
        seconds: Tensor | None = None,
        kind: Kind = "error",
        dimensions: int = 5,
        encoder_steps: int = 3000,
        encoder_tolerance: float | None = None,
        **network: Any,
    ) -> MetaModel:
        """Fit the encoder and both networks.

        Args:
            values: Values of T tasks at N points, (T, N).
            points: Points of the unit cube, (N, d).
            names: Names of the tasks.
            generator: Generator of everything random.
            seconds: Cost of every value, (T, N).
            kind: Kind of the values, a name of `sampled_tasks.KINDS`.
            dimensions: Dimension Q of the latent vectors.
            encoder_steps, encoder_tolerance: Steps and tolerance of the encoder, see `TaskEncoder.fit`.
            network: Settings of `MetaNetwork`.

        Raises:
            UserError: values or seconds that are not positive where a logarithm is taken, or that the encoder refuses.
        """
        values = torch.as_tensor(values, dtype=torch.float64)
        encoder = TaskEncoder.fit(values, generator, dimensions, steps=encoder_steps, tolerance=encoder_tolerance)
        draws = encoder.draw(DRAWS * values.shape[1], generator)
        latent = draws.unflatten(0, (DRAWS, values.shape[1])).movedim(1, 2)
        loss = _functions(name, "values", values, points, latent, kind, generator, network)
        cost = None
        if seconds is not None:
            seconds = torch.as_tensor(seconds, dtype=torch.float64)
            cost = _functions(name, "seconds", seconds, points, latent, "positive", generator, network)
        return cls(name, tuple(names), encoder, loss, cost, float(values.max()))

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.loss.center) - self.encoder.means.shape[1]


def _functions(
    name: str,
    what: str,
    values: Tensor,
    points: Tensor,
    latent: Tensor,
    kind: Kind,
    generator: torch.Generator,
    network: dict[str, Any],
) -> TaskFunctions:
    """Sample networks from the values (T, N) at points (N, d), every value with its latent vectors (H, T, N, Q)."""
    if kind == "positive" and not (values > 0).all():
        raise UserError(
            f"{name}: {what} from {values.min():g} on; allowed: positive, since their logarithm is modelled"
        )
    copies, tasks = latent.shape[:2]
    X = torch.as_tensor(points, dtype=torch.float64).expand(copies, tasks, -1, -1)
    targets = (values.log() if kind == "positive" else values).expand(copies, -1, -1)
    seed = int(torch.randint(2**62, (1,), generator=generator))
    model = MetaNetwork(copies=copies, mean="sigmoid" if kind == "error" else "linear", **network)
    model.fit(torch.cat([X, latent], -1).flatten(0, 2)[None], targets.flatten()[None], make_generators([seed]))
    functions = TaskFunctions.of(model, kind)
    if not (torch.isfinite(functions.weights).all() and torch.isfinite(functions.noise).all()):
        raise UserError(
            f"{name}: the chain of the network of {what} diverged; allowed: a smaller step, or another seed"
        )
    return functions


FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]


def save(model: MetaModel, path: str | Path) -> str:
    """Write the model whole or not at all, and return its digest.

    Raises:
        UserError: the file cannot be written.
    """
    arrays = {"means": model.encoder.means.numpy(), "deviations": model.encoder.deviations.numpy()}
    header: dict[str, Any] = {"format": FORMAT, "name": model.name, "names": model.names, "worst": model.worst}
    for quantity in ("loss", "cost"):
        functions = getattr(model, quantity)
        if functions is not None:
            for name in ("weights", "noise", "center", "spread"):
                arrays[f"{quantity}/{name}"] = getattr(functions, name).numpy()
            chosen = ("widths", "kind", "location", "scale")
            header[quantity] = {name: getattr(functions, name) for name in chosen}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    digest = _digest(arrays)
    arrays["digest"] = np.frombuffer(bytes.fromhex(digest), np.uint8)
    write_whole(Path(path), lambda stream: np.savez(stream, allow_pickle=False, **arrays))
    return digest


def load(path: str | Path, name: str) -> tuple[MetaModel, str]:
    """The model of a class and its digest.

    Raises:
        UnavailableError: there is no such file.
        UserError: it is damaged or of another format, or it holds the model of another class.
    """
    if not Path(path).is_file():
        raise UnavailableError(f"{path}: no meta-model is there; make it with: python -m papers run profet/meta_{name}")
    try:
        arrays = read_arrays(Path(path))
        digest = bytes(arrays.pop("digest")).hex()
        header = json.loads(bytes(arrays["header"]))
    except (OSError, ValueError, KeyError, DamagedArraysError) as error:
        raise UserError(f"{path}: damaged, or no meta-model ({error}); make it again") from error
    if digest != _digest(arrays):
        raise UserError(f"{path}: damaged, its digest is not {digest}; make it again")
    if header["format"] != FORMAT:
        raise UserError(f"{path}: format {header['format']}; allowed: {FORMAT}; make it again")
    if header["name"] != name:
        raise UserError(f"{path}: the meta-model of {header['name']!r}; needed: {name!r}")
    cost = _functions_of(header, arrays, "cost") if "cost" in header else None
    encoder = TaskEncoder(torch.from_numpy(arrays["means"]), torch.from_numpy(arrays["deviations"]))
    model = MetaModel(
        name, tuple(header["names"]), encoder, _functions_of(header, arrays, "loss"), cost, header["worst"]
    )
    return model, digest


def _functions_of(header: Mapping[str, Any], arrays: Arrays, quantity: str) -> TaskFunctions:
    chosen = header[quantity]
    weights, noise, center, spread = (
        torch.from_numpy(arrays[f"{quantity}/{name}"]) for name in ("weights", "noise", "center", "spread")
    )
    given = chosen | {"widths": tuple(chosen["widths"])}
    return TaskFunctions(**given, weights=weights, noise=noise, center=center, spread=spread)


def _digest(arrays: Arrays) -> str:
    """First 16 hex digits of the SHA-256 of the arrays' names and bytes, in the order of the names."""
    hashed = hashlib.sha256()
    for name in sorted(arrays):
        hashed.update(name.encode())
        hashed.update(np.ascontiguousarray(arrays[name]).tobytes())
    return hashed.hexdigest()[:16]
