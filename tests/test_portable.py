"""The environment of `make test-portable` reaches every library that computes."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("portable.py")
PROBE = """
import json
import numpy, scipy.linalg, torch
from numba.core.registry import cpu_target
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from threadpoolctl import threadpool_info
print(json.dumps({
    "numpy": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
    "torch": torch.backends.cpu.get_cpu_capability(),
    "numba": cpu_target.target_context.codegen().magic_tuple()[1:],
    "openblas": sorted({found["architecture"] for found in threadpool_info() if "architecture" in found}),
}))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86-64 processors")
def test_every_library_leaves_newer_instructions_alone():
    environment = runpy.run_path(str(SCRIPT))["environment"]()
    command = [sys.executable, "-W", "error", "-c", PROBE]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == {"numpy": [], "torch": "DEFAULT", "numba": ["generic", ""], "openblas": ["Nehalem"]}
