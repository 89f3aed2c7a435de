"""Deep deterministic policy gradient on two control tasks, before and after optimization (NIPS 6.4)."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.control.rewards import ENOUGH
from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_incumbents, draw_line
from core.report.figures.panels import draw_panels, not_run_words
from core.report.figures.published_marks import mark_published
from core.report.runs.frames import benchmarks_run, cell_rows, count_runs
from core.report.runs.trajectories import mean_and_sem
from core.report.tables.compare import SAMPLE_COLUMNS, compare_table
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in

TASKS = {"swing_up": "Cart-pole swing-up", "reaching": "Two-link reaching"}
AGENTS = {"original": "DDPG", "dngo": "DDPG + DNGO", "bohamiann": "DDPG + BOHAMIANN"}
COLUMNS = {f"{task}_{value}": f"{label}: {value}" for task, label in TASKS.items() for value in ("reward", "episodes")}
SEARCHES = ("bohamiann", "dngo", "random")
ENDS = "published (Table 2)"


@published_names(rows=AGENTS, columns=COLUMNS)
def table2(results: Results, published: Published) -> ReportTable:
    """NIPS Table 2: episodes until ten test episodes in a row succeed, and the highest point of the learning curve."""
    frame = results.frame("control_agents")
    return compare_table(
        _samples(frame),
        published,
        direction="neither",
        reduced=results.reduced,
        rows=tuple(AGENTS),
        columns=tuple(COLUMNS),
        metric="highest mean reward of 100 test episodes, and training episodes until ten in a row succeed",
        format=".2f",
        caption=(
            "The cost function is not stated: swinging up costs PILCO's saturating cost, in seconds, reaching what "
            "Reacher-v1 takes. Agents that did not learn count with the most episodes there were."
        ),
        row_header="Agent",
        row_labels=AGENTS,
        column_labels=COLUMNS,
    )


def fig2_right(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 2 right: searches for the agent's hyperparameters, by the episodes that its incumbents took."""
    frame = frame_of(results, "control")
    run = {task: title for task, title in TASKS.items() if task in benchmarks_run(frame)}
    figure, panels = style.subplots(1, len(run), width=2.8 + 1.75 * len(run), height=2.9, sharey=True, squeeze=False)
    table = published_in("bohamiann/table2")

    def draw(axes: Axes, task: str) -> pd.DataFrame:
        drawn = draw_incumbents(axes, frame, "loss", task, SEARCHES)
        for method in ("dngo", "bohamiann"):
            mark_published(
                axes, y=table[method, f"{task}_episodes"].value, color=style.method(method).color, label=ENDS
            )
        axes.set_ylabel("")
        return drawn

    drawn = draw_panels(panels.flat, run, draw)
    panels[0, 0].set_ylabel("episodes until learned")
    style.legend(figure, panels.flat, len(SEARCHES) + 1)
    missing = (title for task, title in TASKS.items() if task not in run)
    caption = (
        f"Mean and standard error over {count_runs(frame)} of the smallest number of episodes found so far. Marks: the "
        "episodes that the agents of Table 2 take."
    )
    return Figure(figure, caption + not_run_words(missing), drawn)


def fig3(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 3: learning curves on cart-pole with the original and with optimized hyperparameters."""
    frame = frame_of(results, "control_agents")
    figure, axes = style.subplots(height=3.0, width=4.6)
    drawn = []
    for method in ("original", "bohamiann"):
        try:
            rows = cell_rows(frame, "swing_up", method)
        except NotRunError:
            continue
        curves = rows.pivot(index="run", columns="episode", values="reward")
        mean, sem = mean_and_sem(curves.to_numpy())
        look = style.method(method).line | {"label": AGENTS[method]}
        draw_line(axes, curves.columns, mean, mean - sem, mean + sem, look)
        columns = {"method": method, "episode": curves.columns, "mean": mean, "sem": sem}
        drawn.append(pd.DataFrame(columns))
    if not drawn:
        raise NotRunError("control_agents")
    for method in ("original", "bohamiann"):
        cells, color = published_in("bohamiann/table2"), style.method(method).color
        mark_published(axes, x=cells[method, "swing_up_episodes"].value, color=color, label="published episodes")
        mark_published(axes, y=cells[method, "swing_up_reward"].value, color=color, label="published reward")
    axes.axhline(ENOUGH["swing_up"], color="0.6", linewidth=0.8, linestyle=":", label="success")
    axes.set_xlabel("training episodes")
    axes.set_ylabel("mean reward of test episodes")
    style.legend(figure, [axes], 3)
    caption = (
        f"Mean and standard error over {count_runs(frame)} of the reward over 100 test episodes, of agents with the "
        "original hyperparameters and with those that BOHAMIANN found. Marks: Table 2's episodes until an agent has "
        "learned, above, and highest rewards, at the right."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))


def _samples(frame: pd.DataFrame) -> pd.DataFrame:
    """One line for each agent and value, as `compare_table` reads them."""
    if frame.empty:
        return pd.DataFrame(columns=list(SAMPLE_COLUMNS))
    agents = frame.groupby(["benchmark", "method", "run"], as_index=False, sort=False).agg(
        reward=("reward", "max"), episodes=("episodes", "first"), status=("status", "first")
    )
    parts = [
        pd.DataFrame(
            {
                "row": agents["method"],
                "column": agents["benchmark"] + f"_{value}",
                "run": agents["run"],
                "value": agents[value].astype(float),
                "status": agents["status"],
            }
        )
        for value in ("reward", "episodes")
    ]
    return pd.concat(parts, ignore_index=True)[list(SAMPLE_COLUMNS)]
