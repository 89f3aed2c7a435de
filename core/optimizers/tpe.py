"""The tree-structured Parzen estimator (Bergstra et al., 2011) by Optuna, and any other of its samplers.

`TPE` is Optuna's `TPESampler` with its defaults; its constant liar counts pending trials as bad ones, so that parallel
trials keep apart. Hyperparameters become Optuna's distributions: floats and integers with their logarithms, ordinal
ones the integers of their positions, categorical ones the unordered numbers of their choices. Numbers with priors
become their coordinates (`core.spaces`); Optuna has no weights of choices, which the first, random trials follow all
the same. Conditions are followed
as the configuration grows, parents first: an inactive hyperparameter is not suggested. A configuration that a forbidden
clause excludes is told to Optuna as failed and another one is drawn; after many draws a uniform one is taken.

A failed trial counts with the worst-case loss that it carries.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.installation import needed_for
from core.optimizers.base import Outcome
from core.optimizers.replayed import ReplayedOptimizer
from core.spaces import Column, CubeEncoding

with needed_for("a sampler of Optuna"):
    import optuna
    from optuna.trial import TrialState

TRIES = 100  # suggestions excluded by a forbidden clause before a uniform one is taken
RANDOM_TRIALS = 10  # those with which Optuna's sampler begins

MakeSampler = Callable[[int], optuna.samplers.BaseSampler]
"""From a seed to a sampler."""


class OptunaSearch(ReplayedOptimizer):
    """A sampler of Optuna.

    Args:
        space: Search space.
        generator: Generator of one number, which seeds the sampler.
        make_sampler: Function that makes the sampler, see `MakeSampler`.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(self, space: ConfigurationSpace, generator: np.random.Generator, make_sampler: MakeSampler) -> None:
        self.make_sampler = make_sampler
        super().__init__(space, generator)

    def _start(self, seed: int) -> _Study:
        return _Study(self.encoding, seed, self.make_sampler)


class TPE(OptunaSearch):
    """Optuna's tree-structured Parzen estimator; arguments and errors as `OptunaSearch`."""

    def __init__(self, space: ConfigurationSpace, generator: np.random.Generator) -> None:
        super().__init__(space, generator, lambda seed: optuna.samplers.TPESampler(seed=seed, constant_liar=True))


def suggest(trial: optuna.Trial, column: Column) -> float | int:
    """The code that Optuna suggests for a hyperparameter."""
    if column.kind == "categorical":
        return int(trial.suggest_categorical(column.name, list(range(len(column.choices)))))
    if column.kind == "ordinal":
        return trial.suggest_int(column.name, 0, len(column.choices) - 1)
    if column.prior is not None:
        return column.read(np.array([trial.suggest_float(column.name, 0.0, 1.0)])).tolist()[0]  # type: ignore[no-any-return]
    low, high = column.bounds
    if column.kind == "integer":
        return trial.suggest_int(column.name, int(low), int(high), log=column.log)
    return trial.suggest_float(column.name, low, high, log=column.log)


class _Study:
    """Optuna's study with its trials under way, by our trial numbers."""

    exhausted = False

    def __init__(self, encoding: CubeEncoding, seed: int, make_sampler: MakeSampler) -> None:
        self.encoding, self.space = encoding, encoding.space
        self.generator = np.random.default_rng(seed)
        self.columns = [Column.of(self.space[name]) for name in self.space]
        self.study = _quiet_study(make_sampler, seed)
        self.running: dict[int, optuna.Trial] = {}

    def propose(self, number: int) -> dict[str, Any]:
        for _ in range(TRIES):
            if self.encoding.shares and len(self.study.trials) < RANDOM_TRIALS:
                self.study.enqueue_trial(self._choices_by_weight())
            trial = self.study.ask()
            configuration, allowed = self._suggest(trial)
            if allowed:
                self.running[number] = trial
                return configuration
            self.study.tell(trial, state=TrialState.FAIL)
        (configuration,) = self.encoding.decode(self.encoding.sample(1, self.generator))
        self.adopt(number, configuration)
        return configuration

    def adopt(self, number: int, configuration: Mapping[str, Any]) -> bool:
        """Let a trial have values that Optuna did not choose."""
        self.study.enqueue_trial(self._codes(configuration))
        self.running[number] = self.study.ask()
        self._suggest(self.running[number])
        return True

    def observe(self, number: int, outcome: Outcome) -> None:
        self.study.tell(self.running.pop(number), outcome.loss)

    def _suggest(self, trial: optuna.Trial) -> tuple[dict[str, Any], bool]:
        """A configuration, and whether the forbidden clauses allow it; ConfigSpace's vector grows with it."""
        vector = np.full((len(self.columns), 1), np.nan)
        configuration = {}
        for i, column in enumerate(self.columns):
            conditions = self.space.parent_conditions_of[column.name]
            if not all(condition.satisfied_by_vector_array(vector)[0] for condition in conditions):
                continue
            code = 0 if column.kind == "constant" else suggest(trial, column)
            codes = np.array([code])
            vector[i] = column.vector(codes)
            configuration[column.name] = column.values(codes)[0]
        forbidden = any(clause.is_forbidden_vector_array(vector)[0] for clause in self.space.forbidden_clauses)
        return configuration, not forbidden

    def _codes(self, configuration: Mapping[str, Any]) -> dict[str, float | int]:
        named = {column.name: column for column in self.encoding.columns}
        codes = {name: named[name].code(value) for name, value in configuration.items() if name in named}
        for name, code in codes.items():
            if named[name].prior is not None:
                codes[name] = float(named[name].place(np.array([code]))[0])
        return codes

    def _choices_by_weight(self) -> dict[str, int]:
        """The numbers of choices drawn by their weights."""
        point = self.encoding.weighted(self.generator.random((1, self.encoding.dimension)))[0]
        columns = [(self.encoding.columns[j], point[j : j + 1]) for j in self.encoding.shares]
        return {column.name: int(column.read(coordinate)[0]) for column, coordinate in columns}


def _quiet_study(make_sampler: MakeSampler, seed: int) -> optuna.Study:
    """A study in memory, without log lines and without a warning meant for Optuna's own users."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampler = make_sampler(seed)
        return optuna.create_study(sampler=sampler)
    finally:
        optuna.logging.set_verbosity(verbosity)
