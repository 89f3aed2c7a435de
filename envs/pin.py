"""Write requirements.txt and environment.yaml from an environment that requirements.in was just installed into.

Local version labels (torch's +cpu) are dropped, so that every machine takes its own build of the same release.
Run by `make pins` with the path of that environment's pip.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
HEAD = "# Made by `make pins` from requirements.in: do not edit.\n"


def main(pip: str) -> None:
    frozen = subprocess.run([pip, "freeze", "--exclude-editable"], capture_output=True, text=True, check=True).stdout
    pins = sorted((line.partition("+")[0] for line in frozen.splitlines() if "==" in line), key=str.lower)
    (FOLDER / "requirements.txt").write_text(HEAD + "\n".join(pins) + "\n")
    conda = ["name: hpo-replications", "channels:", "  - conda-forge", "  - nodefaults", "dependencies:"]
    conda += ["  - python=3.11", "  - pip", "  - pip:", *(f"      - {pin}" for pin in pins)]
    (FOLDER / "environment.yaml").write_text(HEAD + "\n".join(conda) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
