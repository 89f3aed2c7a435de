"""What the README says of faults is what these tests inject."""

from __future__ import annotations

import re
from pathlib import Path

from tests.faults.tally import DEATHS, FAULTS, KILLS

HERE = Path(__file__).parent


def test_the_readme_has_their_number():
    text = " ".join((HERE.parents[1] / "README.md").read_text().split())
    (found,) = re.findall(r"(\d+) kills at random moments.*?faults injected: ([\d,]+), records lost: 0", text)
    assert [int(number.replace(",", "")) for number in found] == [sum(KILLS.values()), sum(FAULTS.values())]
    assert sum(KILLS.values()) == 50


def test_a_test_injects_each():
    """By its name, or by the dictionary that the name is from."""
    code = "".join(path.read_text() for path in HERE.glob("*.py") if path.name not in ("tally.py", Path(__file__).name))
    names = {*KILLS, *DEATHS, *(name for name in FAULTS if not name.startswith(("kills of ", "deaths of ")))}
    built = {"minimize with checkpoints", "minimize with a model"}
    assert [name for name in names - built if f'["{name}"]' not in code] == []
    assert 'KILLS[f"minimize with ' in code
