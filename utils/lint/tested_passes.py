"""Every pass has a RUN line that runs it; every pipeline one that runs it and
one that dumps it.

The dump (`--dump-pass-pipeline`, read by FileCheck) is the golden test of what
a pipeline consists of."""

from registry import passes, pipelines
from tree import Finding, flag_pattern


def check(tree):
    for record in passes(tree):
        flag = record.fields["argument"]
        if not runs_with(tree, flag):
            yield Finding(record.path, record.line, f"no RUN line of a test uses --{flag}")
    for pipeline in pipelines(tree):
        runs = runs_with(tree, pipeline.name)
        if not any("-dump-pass-pipeline" not in run.command for run in runs):
            yield Finding(pipeline.path, pipeline.line,
                          f"no RUN line of a test runs the pipeline --{pipeline.name}")
        if not any("-dump-pass-pipeline" in run.command for run in runs):
            yield Finding(pipeline.path, pipeline.line,
                          f"no test dumps the pipeline --{pipeline.name} (--dump-pass-pipeline)")


def runs_with(tree, flag):
    pattern = flag_pattern(flag)
    return [run for run in tree.run_lines if pattern.search(run.command)]
