"""Every option of a pass or pipeline is set by some test's RUN line."""

import re

from registry import option_names, passes, pipelines
from tested_passes import runs_with
from tree import Finding


def check(tree):
    for record in passes(tree):
        flag = record.fields["argument"]
        yield from unset(tree, flag, option_names(record), record.path, record.line)
    for pipeline in pipelines(tree):
        yield from unset(tree, pipeline.name, pipeline.options, pipeline.path, pipeline.line)


def unset(tree, flag, options, path, line):
    runs = runs_with(tree, flag)
    for option in options:
        pattern = re.compile(rf"(?<![\w-]){re.escape(option)}=")
        if not any(pattern.search(run.command) for run in runs):
            yield Finding(path, line, f"no test sets the option {option} of --{flag}")
