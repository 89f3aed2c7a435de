"""Seconds of a benchmark on generated tasks, and of the trainings in whose place they stand (Fig 8.2)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.objectives.base import Configurations, Evaluation
from core.objectives.generated_tasks import GeneratedTask, generated_tasks
from core.objectives.network_spaces import classifier_space
from core.study.simulated import simulate
from papers.profet.experiments.meta_models import needed_model
from papers.profet.settings import WallClock


def wall_clock(context: Context[WallClock]) -> pd.DataFrame:
    """Run one method on tasks of networks, one repetition after the other, each on a task of its own.

    Returns:
        run, `count` of evaluations, and processor seconds: `proposals` of the optimizer, `evaluations` of the task, and
        `training`, the meta-model's prediction for training the networks that were proposed.
    """
    settings, rows = context.settings, []
    tasks = generated_tasks(needed_model(context, context.benchmark)[0], context.runs.stop)
    seeds = zip(context.method_seeds("optimizer"), context.shared_seeds("tasks"), strict=True)
    for done, (run, (seed, noise)) in enumerate(zip(context.runs, seeds, strict=True)):
        task = Timed(tasks.objective(run, classifier_space()))
        optimizer = settings.method.build(task.space, seed, evaluations=settings.evaluations)
        start = time.process_time()
        generator, progress = np.random.default_rng(noise), context.progress_of(done)
        records = simulate(optimizer, task, 1, generator, evaluations=settings.evaluations, progress=progress)
        seconds = time.process_time() - start
        training = sum(record.cost for record in records)
        costs = {"proposals": seconds - task.seconds, "evaluations": task.seconds, "training": training}
        rows.append({"run": run, "count": len(records), **costs})
    return pd.DataFrame(rows)


@dataclass
class Timed:
    """A task that adds up the processor seconds of its evaluations."""

    task: GeneratedTask
    seconds: float = field(default=0.0, init=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The task's own."""
        start = time.process_time()
        evaluation = self.task.evaluate(configurations, budget, generator)
        self.seconds += time.process_time() - start
        return evaluation
