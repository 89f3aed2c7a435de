"""From raw runs to every table, every figure and the comparison page. Names no paper: papers/*/paper.yaml do that."""

import shlex
import sys

from snakemake.utils import min_version

from core.errors import UserError
from core.experiment.drawings import EXTENSIONS
from core.experiment.outputs import CELL, SHORT, drawn_together, one_of
from core.experiment.targets import Asked
from core.experiment.workflow import Workflow

min_version("9.0")

# Without an environment of Snakemake's own, rules run the interpreter that runs Snakemake, on whatever PATH.
PYTHON = "python" if workflow.deployment_settings.deployment_method else shlex.quote(sys.executable)

try:
    flow = Workflow(
        config,
        asked=lambda: Asked.of(workflow.dag_settings),
        say=logger.warning if workflow.is_main_process else lambda text: None,
    )
except UserError as error:
    raise WorkflowError(str(error))


wildcard_constraints:
    own="(own/)?",
    table=one_of(flow.artifacts("table")),
    figure=one_of(flow.artifacts("figure")),
    short=one_of(flow.catalogue.short_names),
    unknown=flow.outputs.unknown(),
    **{part: one_of(flow.outputs.cell_names(part)) for part in CELL},


localrules:
    all,
    drawings,
    table,
    figure,
    short_name,
    comparison,


rule all:
    input:
        flow.input(lambda w: flow.all_targets()),


for name in flow.papers:

    rule:
        name:
            name
        localrule: True
        input:
            flow.input(lambda w, name=name: flow.targets(name)),


# Where many are out of date, a few processes draw them all.
rule drawings:
    input:
        flow.input(lambda w: [file for drawn in flow.outdated(w.own) for file in flow.inputs(drawn)]),
    output:
        temp(drawn_together("{own}")),
    log:
        "logs/draw/{own}drawings.log",
    params:
        files=lambda w: [f"{drawn.stem}.pdf" for drawn in flow.outdated(w.own)],
    conda:
        "envs/environment.yaml"
    threads: workflow.cores
    shell:
        f"{PYTHON} -m papers draw {{params.files}} --processes {{threads}} --scale {flow.scale} > {{log}} 2>&1"
        " && touch {output}"


# These have no params: the scale is part of a drawing's state, and Snakemake imports pandas to compare params.
rule table:
    input:
        flow.input(lambda w: flow.inputs(flow.outputs.drawing(w.table, w.own))),
    output:
        multiext("figures/{own}{table}", *(f".{e}" for e in EXTENSIONS["table"])),
    log:
        "logs/draw/{own}{table}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


rule figure:
    input:
        flow.input(lambda w: flow.inputs(flow.outputs.drawing(w.figure, w.own))),
    output:
        multiext("figures/{own}{figure}", *(f".{e}" for e in EXTENSIONS["figure"])),
    log:
        "logs/draw/{own}{figure}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


# One job draws and copies: a second job would cost a second of Snakemake's own.
rule short_name:
    input:
        flow.input(
            lambda w: flow.inputs(flow.outputs.drawing(f"{flow.catalogue.short_names[w.short]}/{w.short}", w.own))
        ),
    output:
        "figures/{own}{short}.{extension}",
    wildcard_constraints:
        extension=one_of(SHORT),
    log:
        "logs/draw/{own}{short}.{extension}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


# A cell's file is left there for its job, which adds what is missing.
rule cell:
    input:
        flow.input(lambda w: flow.cell_inputs(flow.cell(w.paper, w.experiment, w.benchmark, w.method, w.scale))),
    output:
        update("results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.parquet"),
    log:
        "logs/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers run {{wildcards.paper}}/{{wildcards.experiment}}/{{wildcards.benchmark}}/{{wildcards.method}}"
        " --scale {wildcards.scale} > {log} 2>&1"


rule comparison:
    input:
        flow.input(lambda w: flow.page_inputs(w.own)),
    output:
        "figures/{own}comparison.html",
    log:
        "logs/{own}comparison.log",
    params:
        scale=flow.scale,
        source=lambda w: flow.outputs.drawing(flow.catalogue.artifacts[0], w.own).source,
        made_with=lambda w: flow.page_sources(),
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers compare --scale {{params.scale}} --source {{params.source}} > {{log}} 2>&1"


# For targets that no rule makes: ends in one line that names what is near.
rule unknown:
    input:
        flow.input(lambda w: flow.outputs.check(w.unknown)),
    output:
        "{unknown}",
