"""A module that runs in the peers' environment and answers lines: questions go to its input, answers to its output."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv-peers" / "bin" / "python"


class Lines:
    """A process that lives as long as this object.

    Args:
        module: Module to run.
        arguments: Arguments on its command line.

    Raises:
        FileNotFoundError: there is no peers' environment.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        if not PEERS.exists():
            raise FileNotFoundError(f"{PEERS}: no peers' environment; make it with: make .venv-peers/installed")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, closed by `close`
        command = [str(PEERS), "-W", "ignore", "-m", module, *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )

    def ask(self, line: str) -> str:
        """The answer to a line.

        Raises:
            RuntimeError: the process ended instead; the message has its last words.
        """
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            raise RuntimeError(f"{' '.join(map(str, self._process.args))} ended: {said[-1] if said else 'no message'}")
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._errors.close()

    def __del__(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
