"""clang-tidy with the checks of .clang-tidy: `./dev lint --tidy`; slow, needs a build."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Finding

ON_DEMAND = True


def check(tree):
    tool = shutil.which("clang-tidy-22")
    if not tool:
        raise FileNotFoundError("clang-tidy-22 is not on PATH; `./dev setup` installs it")
    if not (tree.build / "compile_commands.json").exists():
        raise FileNotFoundError("build/compile_commands.json is missing; run `./dev build`")
    sources = [path for path in tree.files(".cpp") if path.startswith(("lib/", "tools/"))]
    findings = set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda path: check_file(tree, tool, path), sources):
            findings |= found
    return findings


def check_file(tree, tool, path):
    result = subprocess.run([tool, "-p", tree.build, "--quiet", path], cwd=tree.root,
                            capture_output=True, text=True)
    found = set()
    for file, line, message in re.findall(r"^(.+?):(\d+):\d+: (?:warning|error): (.+)$",
                                          result.stdout, re.M):
        file = os.path.relpath(os.path.join(tree.root, file), tree.root)
        if not file.startswith("..") and not file.startswith("build"):
            found.add(Finding(file, int(line), message))
    return found
