"""C++ is formatted by clang-format 22 with the repository's .clang-format."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Finding


def check(tree):
    tool = shutil.which("clang-format-22")
    if not tool:
        raise FileNotFoundError("clang-format-22 is not on PATH; `./dev setup` installs it")
    paths = tree.files(".cpp", ".h", ".c", ".cu")
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        for findings in pool.map(lambda share: check_share(tree, tool, share),
                                 [paths[start::workers] for start in range(workers)]):
            yield from findings


def check_share(tree, tool, paths):
    """One finding a file: the first line that would change."""
    if not paths:
        return []
    output = subprocess.run([tool, "--dry-run", *paths], cwd=tree.root,
                            capture_output=True, text=True).stderr
    first = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: warning: ", output, re.M):
        first.setdefault(path, int(line))
    return [Finding(path, line, f"not formatted; run clang-format-22 -i {path}")
            for path, line in first.items()]
