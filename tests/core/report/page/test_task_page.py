"""The page about methods on many tasks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.page.task_page import write_task_page


def test_the_page_holds_all_that_it_shows(tmp_path):
    rng = np.random.default_rng(0)
    losses = {
        name: np.minimum.accumulate(rng.random((5, 2, 6)) + shift, -1) for name, shift in (("gp", 0), ("Mine", 1))
    }
    solved = {name: 1 - 0.4 * values for name, values in losses.items()}
    path = write_task_page(tmp_path / "mine.html", "Mine <beside> ours", losses, solved)
    text = path.read_text()
    assert "Mine &lt;beside&gt; ours" in text and "data:image/png;base64," in text and "GP-BO" in text
    assert "5 tasks, 2 runs of 6 evaluations" in text and "2 in all" in text
    numbers = pd.read_csv(tmp_path / "mine.csv", index_col=0)
    assert numbers.index[0] == "GP-BO" and numbers.loc["GP-BO", "average rank"] == 1
