"""Programs in pages: what they are, and how they are fenced."""

from __future__ import annotations

import re

from docs.pages.programs import blocks, fenced, language

TEXT = """Words.

    import math

    if math:
        print(1)

More words.

    make docs    # a comment

    results/run

  two spaces are text
"""


def test_blocks():
    assert blocks(TEXT) == ["import math\n\nif math:\n    print(1)", "make docs    # a comment\n\nresults/run"]


def test_languages():
    wanted = {
        "import math": "python",
        "make docs": "sh",
        "python -m papers list": "sh",
        "@misc{a,\n}": "text",
        "x": "text",
    }
    assert {block: language(block) for block in wanted} == wanted


def test_fences_keep_every_word_and_the_blocks():
    found = fenced(TEXT)
    assert "\n\n```python\nimport math\n\nif math:\n    print(1)\n```\n\nMore words." in found
    assert "```sh\nmake docs    # a comment\n\nresults/run\n```" in found and "\n  two spaces are text\n" in found
    assert re.sub(r"```\w*", "", found).split() == TEXT.split()
