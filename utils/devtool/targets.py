"""`./dev test --as=TARGET --threads=N`: the suites for another CPU than this machine's.

The tools and the Python package take TC_TARGET and TC_THREADS for the defaults of
their options; a test that names a target or threads of its own keeps them.
"""

import os
import re
import subprocess

from . import suites
from .shell import BUILD, ROOT, Failure, say

TC_RUN = BUILD / "bin" / "tc-run"


def examples():
    return sorted((ROOT / "examples").glob("*.mlir"))


def run_example(target, *arguments):
    return subprocess.run([TC_RUN, ROOT / "examples" / "relu.mlir", f"--target={target}", *arguments],
                          capture_output=True, text=True)


def missing_features(target):
    """The features that code for the target may use and this machine lacks."""
    result = run_example(target, "--random-inputs=0", "--check")
    if result.returncode == 0:
        return []
    found = re.search(r"has features that this machine has not: (.*)", result.stderr)
    if not found:
        raise Failure(f"code for {target} does not run: {result.stderr.strip()}")
    return found[1].split(", ")


def without(target, features):
    """The target with features taken away: cpu:NAME:+a,-b."""
    separator = "," if target.count(":") > 1 else ":"
    return target + separator + ",".join("-" + feature for feature in features)


def kernels(target):
    """The code of the examples before LLVM chooses instructions."""
    texts = []
    for example in examples():
        result = subprocess.run([TC_RUN, example, f"--target={target}", "--compile-to=generate"],
                                capture_output=True, text=True)
        texts.append(re.sub(r"#tc.target<[^>]*>", "", result.stdout))
    return texts


def use(target, threads, names):
    """Sets what the suites `names` are run with, and returns the names of those to
    run: of a target whose code cannot run here one that compiles alone."""
    if threads is not None:
        os.environ["TC_THREADS"] = str(threads)
    if not target:
        return names
    target = target if target == "cpu" or target.startswith("cpu:") else f"cpu:{target}"
    if missing := missing_features(target):
        reduced = without(target, missing)
        if missing_features(reduced) == [] and kernels(reduced) == kernels(target):
            say(f"this machine has no {', '.join(missing)}: the kernels of {target} are the same without, "
                f"and run as {reduced}")
            target = reduced
        else:
            say(f"this machine has no {', '.join(missing)}: code for {target} is compiled and not run")
            names = [suites.COMPILE_ONLY]
    os.environ["TC_TARGET"] = target
    say(f"target: {target}, threads: {os.environ.get('TC_THREADS', 'as many as there are cores')}")
    return names
