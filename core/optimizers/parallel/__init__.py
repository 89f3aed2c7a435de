"""Drivers that evaluate what an optimizer proposes: one after the other, or asynchronously on worker processes."""

from core.optimizers.parallel.cluster import SCHEDULER_VARIABLE, local_workers
from core.optimizers.parallel.driver import run_serial
from core.optimizers.parallel.pool import run_parallel

__all__ = ["SCHEDULER_VARIABLE", "local_workers", "run_parallel", "run_serial"]
