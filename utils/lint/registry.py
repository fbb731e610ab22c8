"""The passes and pipelines that tc-opt runs: passes from ODS, pipelines from C++ and from tc-opt itself."""

import re
import subprocess
from dataclasses import dataclass, field

from tree import Record


@dataclass
class Pipeline:
    """A registered pipeline; `line` is 0 when only tc-opt knows where it is from."""

    name: str
    path: str
    line: int
    options: list = field(default_factory=list)


def passes(tree):
    """The records of TC's own passes."""
    return tree.records_of("PassBase")


def option_names(record: Record):
    """The names of a pass's options, as they are written in a pipeline."""
    return [option["argument"] for option in record.fields["options"]]


def pipelines(tree):
    """Pipelines that C++ registers by a literal name, and those tc-opt lists."""
    found = {}
    for path in tree.files(".cpp", under="lib") + tree.files(".cpp", under="tools"):
        text = tree.text(path)
        for match in re.finditer(r'PassPipelineRegistration<[^>]*>\s*\w*\s*[({]\s*"([^"]+)"\s*,', text):
            line = text.count("\n", 0, match.start()) + 1
            found[match[1]] = Pipeline(match[1], path, line)
    for name, options in listed_pipelines(tree):
        found.setdefault(name, Pipeline(name, "lib/Pipelines", 0)).options = options
    return list(found.values())


def listed_pipelines(tree):
    """(name, option names) of the tc-* pipelines in `tc-opt --help`; none without a build."""
    tool = tree.build / "bin/tc-opt"
    if not tool.exists():
        return []
    text = subprocess.run([tool, "--help"], capture_output=True, text=True).stdout
    listed = []
    section = text.partition("Pass Pipelines:")[2]
    for line in section.splitlines():
        match = re.match(r"( +)--([\w-]+)", line)
        if not match and listed and re.match(r"  --", line):
            break
        if not match:
            continue
        if len(match[1]) <= 4:
            break  # the next group of tc-opt's own options
        if len(match[1]) == 6:
            listed.append((match[2], []))
        elif listed:
            listed[-1][1].append(match[2])
    return [(name, options) for name, options in listed if name.startswith("tc-")]
