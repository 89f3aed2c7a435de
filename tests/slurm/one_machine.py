"""A Slurm cluster of one node on this machine, for tests: munged, slurmctld and slurmd, as root, from start to stop.

The configuration is /etc/slurm/slurm.conf, since the commands in a job are called without SLURM_CONF. One that somebody
else wrote is left alone, and there is no cluster. State and logs are in a folder of the caller's.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
MINE = "# A cluster for the tests of this repository; it is removed when they end.\n"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
MUNGE = Path("/run/munge")
SECONDS = 30.0
SAVED_AFTER = 5.0
"""Seconds after which, at the latest, slurmctld has what became of a job on disk (SAVE_MAX_WAIT in its source)."""


def reason_against() -> str:
    """Why there can be no cluster here; empty if there can."""
    if os.geteuid() != 0:
        return "not root"
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)"
    if CONFIGURATION.exists() and not CONFIGURATION.read_text().startswith(MINE):
        return f"{CONFIGURATION} is there already, of a cluster that is not ours"
    return ""


class Cluster:
    """The daemons of a cluster with one node, this machine. Use as a context manager.

    Args:
        folder: Folder for state and logs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Cluster:
        for name in ("state", "spool"):
            (self._folder / name).mkdir(parents=True)
        CONFIGURATION.write_text(MINE + self._configuration())
        try:
            self._start_munge()
            for daemon in ("slurmctld", "slurmd"):
                self.start(daemon)
            wait_until(lambda: "idle" in told("sinfo", "--noheader", "--format=%T"), "a node that is idle", self.logs)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for job in told("squeue", "--noheader", "--format=%i").split():
            told("scancel", "--signal=KILL", "--full", job)
        for daemon in ("slurmd", "slurmctld", "munged"):
            if daemon in self._running:
                self.end(daemon, signal.SIGTERM)
        CONFIGURATION.unlink(missing_ok=True)

    def start(self, daemon: str) -> None:
        """Start slurmctld or slurmd, after a kill with the state that it left."""
        with open(self._folder / f"{daemon}.out", "ab") as log:
            self._running[daemon] = subprocess.Popen([shutil.which(daemon) or daemon, "-D"], stdout=log, stderr=log)
        if daemon == "slurmctld":
            wait_until(lambda: "is UP" in told("scontrol", "ping"), "an answer of slurmctld", self.logs)

    def end(self, daemon: str, number: int = signal.SIGKILL) -> None:
        """Send a daemon a signal and wait for its end."""
        process = self._running.pop(daemon)
        process.send_signal(number)
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def logs(self) -> str:
        """The last lines of all logs."""
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self._folder.glob("*.out")))

    def _start_munge(self) -> None:
        """The daemon that proves who calls; one that runs already serves as well."""
        if subprocess.run(["munge", "-n"], capture_output=True).returncode == 0:
            return
        MUNGE.mkdir(mode=0o755, exist_ok=True)
        shutil.chown(MUNGE, "munge", "munge")
        with open(self._folder / "munged.out", "ab") as log:
            command = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground"]
            self._running["munged"] = subprocess.Popen(command, stdout=log, stderr=log)
        ready = lambda: subprocess.run(["munge", "-n"], capture_output=True).returncode == 0  # noqa: E731
        wait_until(ready, "an answer of munged", self.logs)

    def _configuration(self) -> str:
        # Two jobs run side by side on any machine, since config_overrides has slurmd believe these numbers.
        host, cores = socket.gethostname().partition(".")[0], max(os.cpu_count() or 1, 2)
        memory = max(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20, 8192)
        settings = {
            "ClusterName": "replications",
            "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmUser": "root",
            "AuthType": "auth/munge",
            "StateSaveLocation": self._folder / "state",
            "SlurmdSpoolDir": self._folder / "spool",
            "SlurmctldPidFile": self._folder / "slurmctld.pid",
            "SlurmdPidFile": self._folder / "slurmd.pid",
            "ProctrackType": "proctrack/pgid",  # no control groups: containers have none of their own
            "TaskPlugin": "task/none",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core_Memory",
            "AccountingStorageType": "accounting_storage/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "MpiDefault": "none",
            "ReturnToService": 2,
            "SlurmdParameters": "config_overrides",
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,sched_min_interval=0",
            "NodeName": f"{host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN",
            "PartitionName": "all Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
        }
        return "".join(f"{name}={value}\n" for name, value in settings.items())


def told(*command: str) -> str:
    """What a command says, all of it; nothing if it takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout + done.stderr


def wait_until(holds: Callable[[], bool], what: str, logs: Callable[[], str], seconds: float = SECONDS) -> None:
    """Wait until something holds; AssertionError with the logs if it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}\n{logs()}"
        time.sleep(0.05)
