"""From raw runs to every table, every figure and the comparison page. Names no paper: papers/*/paper.yaml do that."""

import shlex
import sys

from snakemake.utils import min_version

from core.foundation.errors import UserError
from core.experiment.paper import EXTENSIONS
from core.experiment.workflow import CELL, LIBRARY, SHORT, Workflow, in_one_line, one_of

min_version("9.0")

# Without an environment of Snakemake's own, rules run the interpreter that runs Snakemake, on whatever PATH.
PYTHON = "python" if workflow.deployment_settings.deployment_method else shlex.quote(sys.executable)

try:
    flow = Workflow(config, say=logger.warning, ancient=ancient, main=workflow.is_main_process)
    unknown = flow.unknown()
except UserError as error:
    raise WorkflowError(str(error))


wildcard_constraints:
    own="(own/)?",
    table=one_of(flow.artifacts("table")),
    figure=one_of(flow.artifacts("figure")),
    short=one_of(flow.papers.short_names),
    unknown=unknown,
    **{part: one_of(flow.cell_names(part)) for part in CELL},


localrules:
    all,
    library,
    table,
    figure,
    short_name,
    comparison,


def in_report(file):
    shown = flow.in_report(file)
    return report(file, **shown) if shown else file


rule library:
    input:
        flow.library_files(),
    output:
        touch(LIBRARY),


# One process draws all artifacts of a paper: most of the time for a single one goes into starting Python.
for name in flow.papers.valid:

    rule:
        name:
            name
        localrule: True
        input:
            in_one_line(lambda w, name=name: flow.inputs_of_paper(name)),
        output:
            [in_report(file) for file in flow.drawings(name)],
        log:
            f"logs/draw/{flow.folder}{name}.log",
        params:
            paper=name,
        priority: len(flow.drawings(name)),  # the longest first, so that none of them is drawn alone at the end
        conda:
            "envs/environment.yaml"
        shell:
            f"{PYTHON} -m papers draw {{params.paper}} --source {flow.source} --scale {flow.scale}"
            " > {log} 2>&1"


papers = [getattr(rules, name) for name in flow.papers.valid]
workflow.ruleorder("table", "figure", "short_name", *flow.papers.valid)


rule all:
    default_target: True
    input:
        f"figures/{flow.folder}comparison.html",
        [paper.output for paper in papers],
        in_one_line(lambda w: flow.require_all()),


rule table:
    input:
        in_one_line(lambda w: flow.inputs(w.table, w.own)),
    output:
        multiext("figures/{own}{table}", *(f".{end}" for end in EXTENSIONS["table"])),
    log:
        "logs/draw/{own}{table}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


rule figure:
    input:
        in_one_line(lambda w: flow.inputs(w.figure, w.own)),
    output:
        multiext("figures/{own}{figure}", *(f".{end}" for end in EXTENSIONS["figure"])),
    log:
        "logs/draw/{own}{figure}.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers draw {{output}} --scale {flow.scale} > {{log}} 2>&1"


# One job draws and copies: a second job would cost a second of Snakemake's own.
rule short_name:
    input:
        in_one_line(lambda w: flow.inputs(w.short, w.own)),
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


rule comparison:
    input:
        [file for paper in papers for file in paper.output if file.endswith(".json")],
    output:
        f"figures/{flow.folder}comparison.html",
    log:
        f"logs/{flow.folder}comparison.log",
    conda:
        "envs/environment.yaml"
    shell:
        f"{PYTHON} -m papers compare --source {flow.source} --scale {flow.scale} > {{log}} 2>&1"


# A cell's files are left there for its job, which adds what is missing. Some cells write a file beside their records.
# Group and resources are for clusters: profiles/slurm.
for endings, experiments in flow.cell_endings.items():

    rule:
        name:
            "_with_".join(["cell", *endings[1:]])
        input:
            in_one_line(lambda w: flow.cell_inputs(w)),
        output:
            update(
                multiext(
                    "results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}",
                    *(f".{end}" for end in endings),
                )
            ),
        wildcard_constraints:
            experiment=one_of(experiments),
        group:
            lambda w: flow.job(w)
        resources:
            runtime=lambda w, attempt: flow.minutes(w, attempt),
            mem_mb=lambda w, attempt: flow.memory_mb(w, attempt),
        log:
            "logs/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.log",
        conda:
            "envs/environment.yaml"
        shell:
            f"{PYTHON} -m papers run "
            "{wildcards.paper}/{wildcards.experiment}/{wildcards.benchmark}/{wildcards.method}"
            " --scale {wildcards.scale} > {log} 2>&1"


# For targets that no rule makes: ends in one line that names what is near.
rule unknown:
    input:
        in_one_line(lambda w: flow.check(w.unknown)),
    output:
        "{unknown}",
