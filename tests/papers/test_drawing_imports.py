"""What drawing imports: torch takes seconds to import, and shipped runs are drawn without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.experiment.paper import Papers

SHOW_MODELS = {
    "dngo": "renders Table 3 from the network",
    "fabolas": "draws its kernels from the code",
    "lcnet": "draws its basis functions from the code",
}
DRAW = """
import sys
import core.report.draw as report
from core.experiment.paper import Papers

report.render, report.write_file = lambda *_, **__: {}, lambda path, _: path  # nothing that is typeset or written
papers, paper = Papers(), sys.argv[1]
for name in papers.paper(paper).artifacts:
    report.draw_artifact(papers.artifact(f"{paper}/{name}", "quick", "reference"))
print("torch" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize("paper", Papers().names)
def test_drawing_imports_torch_only_where_it_shows_a_model(paper):
    done = subprocess.run([sys.executable, "-c", DRAW, paper], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (done.stdout.strip() == "True") == (paper in SHOW_MODELS)
