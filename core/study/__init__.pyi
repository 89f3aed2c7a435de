"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.study.cluster import SCHEDULER_VARIABLE as SCHEDULER_VARIABLE
from core.study.cluster import local_workers as local_workers
from core.study.lockstep import run_in_lockstep as run_in_lockstep
from core.study.loop import run_serial as run_serial
from core.study.methods import METHODS as METHODS
from core.study.methods import method_of as method_of
from core.study.minimization import minimize as minimize
from core.study.own import OwnOptimizer as OwnOptimizer
from core.study.pool import run_parallel as run_parallel
from core.study.record import Record as Record
from core.study.record import incumbent as incumbent
from core.study.result import Result as Result
from core.study.simulated import simulate as simulate
from core.study.task_search import search_tasks as search_tasks
from core.study.trace import Trace as Trace
