"""Asynchronous evaluation on real worker processes: failures, deaths, interruptions, resumption, and bad addresses."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, ProcessPoolExecutor
from pathlib import Path

import cloudpickle
import dask
import numpy as np
import psutil
import pytest
from ConfigSpace import ConfigurationSpace
from distributed import Client

from core import minimize
from core.foundation.errors import UserError
from core.objectives.base import Fidelity, FunctionObjective
from core.optimizers.differential_evolution import DifferentialEvolution
from core.optimizers.random_search import RandomSearch
from core.study import SCHEDULER_VARIABLE, run_parallel, run_serial
from core.study.cluster import local_workers

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import the tests

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})


def search(seed=0):
    return RandomSearch(SPACE, np.random.default_rng(seed))


def objective_of(function, worst_loss=9.0):
    return FunctionObjective(function, SPACE, worst_loss)


def noisy(configuration, budget, generator):
    return configuration["x"] + generator.standard_normal()


def largest(evaluations):
    """The largest x that the search proposes."""
    return max(trial.configuration["x"] for trial in search().ask(evaluations))


def by_number(records):
    return {record.number: (record.configuration, record.loss, record.failure) for record in records}


def test_losses_are_those_of_a_serial_run_whatever_the_workers_do(address):
    parallel = run_parallel(search(), objective_of(noisy), 12, seed=4, address=address)
    assert by_number(parallel) == by_number(run_serial(search(), objective_of(noisy), 12, seed=4))
    assert by_number(parallel) != by_number(run_serial(search(), objective_of(noisy), 12, seed=5))
    assert {record.worker for record in parallel} == {0, 1}
    assert all(0 <= record.started <= record.finished for record in parallel)


def test_no_port_is_fought_over(started):
    assert not [message for message in started[1] if "already in use" in message]


def test_a_call_with_workers_evaluates_on_them(monkeypatch, address):
    """`minimize` uses a scheduler that is there; processes of its own have a test that takes longer."""
    monkeypatch.setenv(SCHEDULER_VARIABLE, address)

    def where(configuration):
        time.sleep(0.1)
        return os.getpid()

    result = minimize(where, {"x": (0.0, 1.0)}, "random", 12, workers=2, progress=False)
    serial = minimize(where, {"x": (0.0, 1.0)}, "random", 12, progress=False)
    assert os.getpid() not in {record.loss for record in result.records}
    assert {record.loss for record in serial.records} == {os.getpid()}
    assert {record.worker for record in result.records} == {0, 1}
    by_number = {record.number: record.configuration for record in result.records}
    assert by_number == {record.number: record.configuration for record in serial.records}


def test_failures_of_the_objective_are_recorded_and_told(address):
    def capricious(configuration, budget, generator):
        x = configuration["x"]
        if x < 0.15:
            raise ValueError("too small")
        if x < 0.3:
            sys.exit("enough")
        return float("nan") if x < 0.45 else "text" if x < 0.6 else np.ones(3) if x < 0.75 else np.inf if x < 0.9 else x

    optimizer = search()
    records = run_parallel(optimizer, objective_of(capricious), 40, seed=0, address=address)
    assert len(records) == 40 and not optimizer.pending
    said = {record.failure for record in records}
    for message in ("ValueError: too small", "SystemExit: enough", "loss is nan", "loss is inf", ""):
        assert message in said
    assert any("'text' of type str" in message for message in said) and any("shape (3,)" in message for message in said)
    assert all(record.loss == 9.0 for record in records if record.failure)


def test_what_an_objective_says_beside_the_loss_arrives_in_plain_values(address):
    class Talkative(FunctionObjective):
        def evaluate(self, configurations, budget, generator):
            evaluation = super().evaluate(configurations, budget, generator)
            said = {"curve": np.arange(2), "rate": np.float32(0.5), "open": open(os.devnull)}  # noqa: SIM115
            return type(evaluation)(evaluation.loss, evaluation.cost, (said,))

    objective = Talkative(lambda configuration, budget, generator: 0.0, SPACE, 9.0)
    (record,) = run_parallel(search(), objective, 1, seed=0, address=address)
    assert record.info["curve"] == [0, 1] and record.info["rate"] == 0.5 and record.info["open"].startswith("<_io")


@pytest.mark.slow
def test_a_trial_that_kills_every_worker_is_recorded_as_failed(address):
    fatal = largest(6)

    def deadly(configuration, budget, generator):
        if configuration["x"] == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return configuration["x"]

    records = run_parallel(search(), objective_of(deadly), 6, seed=0, address=address, attempts=2)
    for record in records:
        killed = record.configuration["x"] == fatal
        assert record.failure == ("its worker died, 2 times in a row" if killed else "")
        assert record.loss == (9.0 if killed else record.configuration["x"])
    assert len(records) == 6


@pytest.mark.slow
@pytest.mark.parametrize("workers", [4, 8])
def test_local_workers_share_the_work(workers):
    def asleep(configuration, budget, generator):
        time.sleep(0.5)
        return float(os.getpid())

    optimizer = DifferentialEvolution(SPACE, np.random.default_rng(0))
    records = run_parallel(optimizer, objective_of(asleep), 5 * workers, seed=0, workers=workers)
    assert len(records) == 5 * workers and not optimizer.pending
    assert len({record.loss for record in records}) == workers
    events = sorted([(r.started, 1) for r in records] + [(r.finished, -1) for r in records])
    assert max(np.cumsum([change for _, change in events])) == workers


SCRIPT = """
import sys, time
from core import minimize

def asleep(configuration, generator):
    time.sleep(0.3)
    return configuration["x"] + generator.random()

method = {"method": "differential_evolution", "population": 4}
minimize(asleep, {"x": (0.0, 1.0)}, method, 10, workers=2, seed=3, journal=sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_script_without_guard_that_is_stopped_loses_nothing_finished(tmp_path, end):
    """Its objective is defined in the script itself; an interruption is told in one line before Python's own."""
    script, journal = tmp_path / "script.py", tmp_path / "run.jsonl"
    script.write_text(SCRIPT)
    command = [sys.executable, script, journal]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    while not journal.exists() or journal.read_text().count('"told"') < 4:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, end)
    said = process.communicate(timeout=60)[0].splitlines()
    assert process.returncode != 0
    before = [json.loads(line) for line in journal.read_text().splitlines()]
    if end == signal.SIGINT:
        told = sum("told" in line for line in before)
        place = next(
            place for place, line in enumerate(said) if line.startswith("interrupted")
        )  # after Python's warnings
        assert said[place].startswith(f"interrupted after {told} of 10 evaluations, which are kept in {journal}")
        assert said[place + 1].startswith("Traceback") and len(said) < 12
        assert said[-1] == "core.study.stopping.InterruptedSearch"
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    after = [json.loads(line) for line in journal.read_text().splitlines()]
    assert after[: len(before)] == before
    told = [line["told"]["number"] for line in after if "told" in line]
    assert sorted(told) == list(range(10))


STUBBORN = """
import ctypes, os, subprocess, sys, time
from core import minimize

IGNORING = "import signal, time; [signal.signal(each, signal.SIG_IGN) for each in (1, 2, 15)]; time.sleep(600)"

def stubborn(configuration):
    if configuration["x"] < 0.6:
        return configuration["x"]
    child = subprocess.Popen([sys.executable, "-c", IGNORING], start_new_session=True)
    with open(sys.argv[2], "a") as file:
        file.write(f"{os.getpid()} {child.pid}\\n")
    ctypes.PyDLL(None).sleep(600)  # with the interpreter's lock: no other thread runs

minimize(stubborn, {"x": (0.0, 1.0)}, "random", 40, workers=2, seed=3, journal=sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_evaluations_that_answer_nobody_end_with_the_driver(tmp_path, end):
    """Both hold the interpreter's lock, and have started a process that ignores signals in a session of its own."""
    script, journal, begun = (tmp_path / name for name in ("script.py", "run.jsonl", "begun"))
    script.write_text(STUBBORN.replace("sys.argv[2]", repr(str(begun))))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, script, journal]
    with open(tmp_path / "said", "w+") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
        while not begun.exists() or len(begun.read_text().split()) < 4:
            assert process.poll() is None
            time.sleep(0.05)
        started = list(map(int, begun.read_text().split()))
        time.sleep(1.5)  # until the driver waits
        os.kill(process.pid, end)
        process.wait(timeout=30)
        said.seek(0)
        lines = said.read().splitlines()
    told = sum("told" in line for line in journal.read_text().splitlines())
    if end != signal.SIGKILL:
        assert [
            line for line in lines if line.startswith(f"interrupted after {told} of 40 evaluations, which are kept")
        ]
    deadline = time.monotonic() + 30
    while [pid for pid in started if _runs(pid)] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in started if _runs(pid)]


def _runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pooled(configuration, budget, generator):
    with multiprocessing.Pool(1) as pool:
        return pool.apply(round, (configuration["x"], 6))


def executed(configuration, budget, generator):
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(round, configuration["x"], 6).result()


def loaded(configuration, budget, generator):
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    (batch,) = DataLoader(TensorDataset(torch.tensor([configuration["x"]])), num_workers=1)
    return round(batch[0].item(), 6)


@pytest.mark.slow
@pytest.mark.parametrize("function", [pooled, executed, loaded])
def test_evaluations_may_start_processes(address, function):
    records = run_parallel(search(), objective_of(function), 2, seed=0, address=address)
    assert [record.failure for record in records] == ["", ""]
    assert all(record.loss == pytest.approx(record.configuration["x"], abs=1e-5) for record in records)


SQUARES = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from core import minimize

def square(x):
    return x * x

def pooled(configuration):
    with multiprocessing.Pool(1) as pool:
        return pool.apply(square, (configuration["x"],))

def executed(configuration):
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(square, configuration["x"]).result()

if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    for function in (pooled, executed):
        result = minimize(function, {{"x": (0.0, 1.0)}}, "random", 2, workers=2, progress=False)
        records = result.records
        print([each.failure or abs(each.loss - each.configuration["x"] ** 2) < 1e-9 for each in records])
"""


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_processes_of_evaluations_find_the_functions_of_the_script(tmp_path, monkeypatch, address, method):
    """multiprocessing sends the name of a function, and looks it up in the module `__main__`.

    The workers' own start method is replaced by that of the driver, and is there again afterwards.
    """
    script = tmp_path / "script.py"
    script.write_text(SQUARES.format(method=method))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), SCHEDULER_VARIABLE: address}
    with Client(address, set_as_default=False) as client:
        before = client.run(multiprocessing.get_start_method)
        ran = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=300)
        assert ran.stdout == "[True, True]\n[True, True]\n", ran.stderr
        assert client.run(multiprocessing.get_start_method) == before


def test_the_scheduler_is_asked_for_its_workers_once_in_a_while(monkeypatch, address):
    """However many trials there are."""
    monkeypatch.setattr("core.study.pool.POLL_SECONDS", 3600.0)
    plainly, asked = Client.nthreads, []
    monkeypatch.setattr(Client, "nthreads", lambda self, *given: asked.append(self) or plainly(self, *given))
    assert len(run_parallel(search(), objective_of(noisy), 100, seed=0, address=address)) == 100
    assert len(asked) == 1


def test_trials_that_start_together_travel_together(monkeypatch, address):
    plainly, sent = Client.map, []
    monkeypatch.setattr(
        Client, "map", lambda self, f, trials, **given: sent.append(len(trials)) or plainly(self, f, trials, **given)
    )
    monkeypatch.setattr("core.study.pool.GATHER_SECONDS", 0.2)
    run_parallel(search(), objective_of(noisy), 2, seed=0, address=address)
    assert sent == [2]


@pytest.mark.parametrize("error", [OSError("closed"), CancelledError("lost")])
def test_a_scheduler_that_goes_while_a_result_is_fetched_is_told(monkeypatch, address, error):
    """Rather than what cannot be cleaned up on it."""

    def raising(raised):
        def call(*arguments, **options):
            raise raised

        return call

    monkeypatch.setattr("distributed.Client.gather", raising(error))
    monkeypatch.setattr("distributed.Client.unregister_worker_plugin", raising(OSError("no answer")))
    with pytest.raises(UserError, match=f"the scheduler {address} is gone: {error.args[0]}"):
        run_parallel(search(), objective_of(noisy), 4, seed=0, address=address)


@pytest.fixture
def impatient(monkeypatch):
    """A scheduler that is not there is waited for half a second."""
    monkeypatch.setattr("core.study.cluster.CONNECT_SECONDS", 0.5)


@pytest.mark.parametrize(
    "bad", ["tcp://127.0.0.1:1", "nonsense", "udp://127.0.0.1:9", "http://127.0.0.1:8787", "tcp://no.such.host:8786"]
)
def test_an_address_that_does_not_answer_is_told(impatient, bad):
    optimizer = search()
    with pytest.raises(UserError, match=r"does not answer as one within 0\.5 s") as caught:
        run_parallel(optimizer, objective_of(noisy), 5, seed=0, address=bad)
    assert bad in str(caught.value) and SCHEDULER_VARIABLE in str(caught.value)
    assert not optimizer.pending


def test_the_address_may_come_from_the_environment(monkeypatch, address):
    monkeypatch.setenv(SCHEDULER_VARIABLE, "tcp://127.0.0.1:1")
    with monkeypatch.context() as hurried, pytest.raises(UserError, match=r"tcp://127.0.0.1:1"):
        hurried.setattr("core.study.cluster.CONNECT_SECONDS", 0.5)
        run_parallel(search(), objective_of(noisy), 1, seed=0)
    monkeypatch.setenv(SCHEDULER_VARIABLE, address)
    assert len(run_parallel(search(), objective_of(noisy), 1, seed=0)) == 1


@pytest.fixture
def certified(tmp_path, monkeypatch):
    """Certificates for scheduler, workers and client, made and set as docs/security.md says."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "security.md").read_text()
    commands = re.findall(r"^    (openssl .*)$", page, re.MULTILINE)
    settings = page[page.index("    export DASK_") : page.index("Then start them")]
    script = "\n".join(["set -e", *commands, settings, "env"])
    made = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    variables = dict(
        line.split("=", 1) for line in made.stdout.splitlines() if line.startswith("DASK_DISTRIBUTED__COMM")
    )
    assert len(variables) == 8
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = copy.deepcopy(dask.config.config)
    dask.config.refresh()
    yield
    dask.config.config.clear()
    dask.config.config.update(before)


def test_with_tls_nobody_connects_without_a_certificate(certified):
    with local_workers(1) as address:
        assert address.startswith("tls://127.0.0.1:")
        assert len(run_parallel(search(), objective_of(noisy), 2, seed=0, address=address)) == 2
        with pytest.raises(UserError, match=f"scheduler '{address.replace('tls', 'tcp')}' does not answer as one"):
            run_parallel(search(), objective_of(noisy), 1, seed=0, address=address.replace("tls", "tcp"))
        with dask.config.set({"distributed.comm.require-encryption": False, "distributed.comm.tls.client": {}}):
            for bad in (address, address.replace("tls", "tcp")):
                with pytest.raises(UserError, match="does not answer as one"):
                    run_parallel(search(), objective_of(noisy), 1, seed=0, address=bad)


def test_a_server_that_is_no_scheduler_is_told_apart(impatient):
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        port = server.stdout.readline().split(" port ")[1].split()[0]
        try:
            with pytest.raises(UserError, match="does not answer as one"):
                run_parallel(search(), objective_of(noisy), 1, seed=0, address=f"tcp://127.0.0.1:{port}")
        finally:
            server.kill()


def test_objectives_that_cannot_travel_and_bad_budgets_stop_the_run(address):
    unpicklable = (_ for _ in ())
    with pytest.raises(UserError, match="cannot be sent to worker processes"):
        run_parallel(search(), objective_of(lambda c, b, g: next(unpicklable)), 1, seed=0, address=address)

    class Elsewhere:
        worst_loss = 1.0

        def __reduce__(self):
            return (__import__, ("no_such_module",))

    with pytest.raises(UserError, match="cannot be loaded on the worker: ModuleNotFoundError"):
        run_parallel(search(), Elsewhere(), 1, seed=0, address=address)

    class Budgeted(RandomSearch):
        def _propose(self):
            return super()._propose()[0], 100.0, {}

    objective = FunctionObjective(noisy, SPACE, 9.0, fidelity=Fidelity("epochs", 1, 10))
    with pytest.raises(UserError, match="allowed: epochs from 1 to 10"):
        run_parallel(Budgeted(SPACE, np.random.default_rng(0)), objective, 1, seed=0, address=address)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"evaluations": 0}, "evaluations is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"attempts": 0}, "attempts is 0"),
        ({"workers": 2.5}, "workers is 2.5"),
        ({"workers": 0}, "workers is 0; allowed: a whole number from 1"),
        ({"seed": np.bool_(True)}, "seed is .*True"),
    ],
)
def test_numbers_that_are_none(arguments, message):
    with pytest.raises(UserError, match=message):
        run_parallel(search(), objective_of(noisy), **{"evaluations": 1, "seed": 0, **arguments})
