"""From raw runs to every table, every figure and the comparison page. Knows no paper by name: papers/*/paper.yaml do."""

import sys

from snakemake.utils import min_version

from core.errors import UserError
from core.experiment.workflow import EXTENSIONS, Workflow, one_of

min_version("9.0")

try:
    flow = Workflow(config)
    flow.check_targets(sys.argv[1:])  # Snakemake itself names no near ones for a mistyped file
except UserError as error:
    raise WorkflowError(str(error))
for error in flow.catalogue.broken.values():
    print(f"left out: {error}", file=sys.stderr)


wildcard_constraints:
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
    short_name,
    comparison,


rule all:
    input:
        "figures/comparison.html",


for name in flow.papers:

    rule:
        name:
            name
        localrule: True
        input:
            flow.targets(name),


rule table:
    input:
        lambda w: flow.artifact_inputs(w.table),
    output:
        multiext("figures/{table}", *(f".{e}" for e in EXTENSIONS["table"])),
    log:
        "logs/draw/{table}.log",
    params:
        scale=flow.scale,
        source=flow.source,
        state=lambda w: flow.artifact_state(w.table),
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers draw {wildcards.table} --scale {params.scale} --source {params.source} > {log} 2>&1"


rule figure:
    input:
        lambda w: flow.artifact_inputs(w.figure),
    output:
        multiext("figures/{figure}", *(f".{e}" for e in EXTENSIONS["figure"])),
    log:
        "logs/draw/{figure}.log",
    params:
        scale=flow.scale,
        source=flow.source,
        state=lambda w: flow.artifact_state(w.figure),
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers draw {wildcards.figure} --scale {params.scale} --source {params.source} > {log} 2>&1"


rule short_name:
    input:
        lambda w: f"figures/{flow.catalogue.short_names[w.short]}/{w.short}.{w.extension}",
    output:
        "figures/{short}.{extension}",
    wildcard_constraints:
        extension="pdf|png|csv|md|tex",
    log:
        "logs/draw/{short}.{extension}.log",
    conda:
        "envs/environment.yaml"
    shell:
        "cp {input} {output} 2> {log}"


rule cell:
    input:
        lambda w: flow.cell_inputs(flow.cell(w.paper, w.experiment, w.benchmark, w.method, w.scale)),
    output:
        "results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.parquet",
    log:
        "logs/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.log",
    params:
        settings=lambda w: flow.cell(w.paper, w.experiment, w.benchmark, w.method, w.scale).settings_hash,
        runs=lambda w: flow.cell(w.paper, w.experiment, w.benchmark, w.method, w.scale).runs,
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers run {wildcards.paper}/{wildcards.experiment}/{wildcards.benchmark}/{wildcards.method}"
        " --scale {wildcards.scale} > {log} 2>&1"


rule comparison:
    input:
        flow.sidecars(),
    output:
        "figures/comparison.html",
    log:
        "logs/comparison.log",
    conda:
        "envs/environment.yaml"
    shell:
        "python -m papers compare > {log} 2>&1"
