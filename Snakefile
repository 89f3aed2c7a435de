"""From raw runs to every table, every figure and the comparison page. Names no paper: papers/*/paper.yaml do that."""

import sys

from snakemake.utils import min_version

from core.errors import UserError
from core.experiment.workflow import EXTENSIONS, Workflow, one_of

min_version("9.0")

try:
    flow = Workflow(config, words=sys.argv[1:])  # Snakemake has not read its targets when it reads this file
    outdated = flow.outdated()
    flow.write_states()
except UserError as error:
    raise WorkflowError(str(error))

if workflow.is_main_process:
    for text in filter(None, [*flow.warnings, flow.announcement()]):
        logger.warning(text)


wildcard_constraints:
    own="(own/)?",
    table=one_of(flow.artifacts("table")),
    figure=one_of(flow.artifacts("figure")),
    short=one_of(flow.catalogue.short_names),
    scale=one_of(flow.cell_names("scale")),
    paper=one_of(flow.papers),
    experiment=one_of(flow.cell_names("experiment")),
    benchmark=one_of(flow.cell_names("benchmark")),
    method=one_of(flow.cell_names("method")),


localrules:
    all,
    table,
    figure,
    short_name,
    comparison,


rule all:
    input:
        flow.all_targets(),


for name in flow.papers:

    rule:
        name:
            name
        localrule: True
        input:
            flow.targets(name),


# Drawings have no params: the scale is part of their state, and Snakemake imports pandas to compare params.
# Where many are out of date, a few processes draw them all.
if outdated:

    rule drawings:
        localrule: True
        input:
            [file for drawn in outdated for file in flow.inputs(drawn)],
        output:
            [file for drawn in outdated for file in drawn.files],
        log:
            "logs/draw/drawings.log",
        conda:
            "envs/environment.yaml"
        threads: workflow.cores
        shell:
            f"python -m papers draw {{output}} --processes {{threads}} --scale {flow.scale} > {{log}} 2>&1"

    ruleorder: drawings > table > figure

else:

    ruleorder: table > figure


rule table:
    input:
        lambda w: flow.inputs(flow.drawing(w.table, w.own)),
    output:
        multiext("figures/{own}{table}", *(f".{e}" for e in EXTENSIONS["table"])),
    log:
        "logs/draw/{own}{table}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"python -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


rule figure:
    input:
        lambda w: flow.inputs(flow.drawing(w.figure, w.own)),
    output:
        multiext("figures/{own}{figure}", *(f".{e}" for e in EXTENSIONS["figure"])),
    log:
        "logs/draw/{own}{figure}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"python -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


# One job draws and copies: a second job would cost a second of Snakemake's own.
rule short_name:
    input:
        lambda w: flow.inputs(flow.drawing(f"{flow.catalogue.short_names[w.short]}/{w.short}", w.own)),
    output:
        "figures/{own}{short}.{extension}",
    wildcard_constraints:
        extension="pdf|png|csv|md|tex",
    log:
        "logs/draw/{own}{short}.{extension}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"python -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


# A cell's file is left there for its job, which adds what is missing.
rule cell:
    input:
        lambda w: flow.cell_inputs(flow.cell(w.paper, w.experiment, w.benchmark, w.method, w.scale)),
    output:
        update("results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.parquet"),
    log:
        "logs/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.log",
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers run {wildcards.paper}/{wildcards.experiment}/{wildcards.benchmark}/{wildcards.method}"
        " --scale {wildcards.scale} > {log} 2>&1"


rule comparison:
    input:
        lambda w: flow.sidecars(w.own),
    output:
        "figures/{own}comparison.html",
    log:
        "logs/{own}comparison.log",
    params:
        scale=flow.scale,
        source=lambda w: flow.drawing(flow.catalogue.artifacts[0], w.own).source,
        made_with=lambda w: flow.page_sources(),
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers compare --scale {params.scale} --source {params.source} > {log} 2>&1"
