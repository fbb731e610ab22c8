"""Each C++ source, and each module of the Python package, is named in a CMakeLists.txt; none is found by a glob."""

import re

from tree import Finding


def check(tree):
    lists = [path for path in tree.paths if path.endswith("CMakeLists.txt")]
    for path in lists:
        for number, line in tree.lines(path):
            if re.search(r"file\s*\(\s*GLOB", line):
                yield Finding(path, number, "name the sources instead of a GLOB")
    for source in tree.files(".cpp", ".c", ".py"):
        is_module = source.startswith("python-bindings/tc/")
        if source.endswith(".py") != is_module or not source.startswith(("lib/", "tools/", "unittests/", "python-bindings/")):
            continue
        above = [path for path in lists if source.startswith(path.removesuffix("CMakeLists.txt"))]
        name = re.compile(rf"(?<![\w-]){re.escape(source.rsplit('/', 1)[-1])}(?!\w)")
        if not any(name.search(tree.text(path)) for path in above):
            yield Finding(source, 1, "no CMakeLists.txt above names this file")
