"""The generated pages of docs/ are those that `./dev docs` would write."""

import re
import subprocess
import sys

from tree import Finding


def check(tree):
    script = tree.root / "utils/docs/generate.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    for page in re.findall(r"^out of date: (.+)$", result.stdout, re.M):
        yield Finding(page, 1, "out of date; run ./dev docs and commit the result")
    if result.returncode not in (0, 1):
        raise RuntimeError(result.stderr.strip())
