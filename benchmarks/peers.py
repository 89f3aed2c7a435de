"""Run a peer's script in the peers' environment; it prints what it measured as JSON on its last line."""

import json
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def run_peer(peers: Path, script: str, case: dict) -> Any | None:
    """What benchmarks/<script>.py measured for a case; None where it cannot run; a failure is printed."""
    python = peers / "bin" / "python"
    if not python.exists():
        return None
    command = [str(python), "-W", "ignore", str(HERE / f"{script}.py"), json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{script} failed and is left out: {(done.stderr.strip() or 'no message').splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])
