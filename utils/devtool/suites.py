"""The test suites of `./dev test`, each reduced to three counts."""

import json
import os
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from . import python_environment
from .shell import BUILD, ROOT, jobs, run_status, say, shorten

RESULTS = BUILD / "test-results"
# A program that runs longer than this hangs.
LIMIT_SECONDS = 3600
# The same for the Python tests with --full, which run hundreds of models.
FULL_LIMIT_SECONDS = 6 * 3600
LIT = "/usr/lib/llvm-22/bin/lit"


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed,
                      self.skipped + other.skipped)

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def use_build(folder):
    """From here on the suites are those of another build folder."""
    global BUILD, RESULTS
    BUILD, RESULTS = folder, folder / "test-results"


def result_file(name):
    """An empty place for a suite's machine-readable results."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / name
    path.unlink(missing_ok=True)
    return path


def at_least_one_failure(counts, status, what):
    """A suite that ends badly without a failed test has failed all the same."""
    if status != 0 and counts.failed == 0:
        say(f"{what} ended with exit status {status} without naming a failed test")
        counts.failed = 1
    return counts


def run_lint():
    """The lints of utils/lint; each counts as one test."""
    results = result_file("lint.json")
    status = run_status([sys.executable, ROOT / "utils/lint/run.py", "--json", results])
    counts = Counts()
    if results.exists():
        for findings in json.loads(results.read_text()).values():
            counts += Counts(failed=1) if findings else Counts(passed=1)
    return at_least_one_failure(counts, status, "the lint driver")


def run_unit(pattern="*"):
    """Every gtest program of the build whose name matches, a part of its tests on each core."""
    counts = Counts()
    programs = sorted(path for path in (BUILD / "unittests").glob(pattern)
                      if path.is_file() and os.access(path, os.X_OK))
    if not programs:
        say("there are no unit tests in build/unittests")
        return Counts(failed=1)
    with ThreadPoolExecutor(jobs()) as pool:
        for program in programs:
            counts = sum(pool.map(partial(run_unit_part, program), range(jobs())), counts)
    return counts


def run_unit_part(program, part):
    """The tests of a gtest program whose number modulo the count of jobs is `part`."""
    results = result_file(f"unit-{program.name}-{part}.json")
    status = run_status([program, "--gtest_brief=1", f"--gtest_output=json:{results}"],
                        {"GTEST_TOTAL_SHARDS": str(jobs()), "GTEST_SHARD_INDEX": str(part)}, limit=LIMIT_SECONDS)
    return at_least_one_failure(read_gtest(results), status, program.name)


def read_gtest(path):
    counts = Counts()
    if not path.exists():
        return counts
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("failures"):
                counts.failed += 1
            elif test["result"] == "SKIPPED" or test["status"] == "NOTRUN":
                counts.skipped += 1
            else:
                counts.passed += 1
    return counts


def run_lit(folder=""):
    """The lit suite of build/test, or of a folder in it."""
    results = result_file("lit.json")
    lit = LIT if os.path.exists(LIT) else shutil.which("lit") or "lit"
    status = run_status([lit, "-v", "--no-progress-bar", f"-j{jobs()}", "-o", results,
                         BUILD / "test" / folder], limit=LIMIT_SECONDS)
    return at_least_one_failure(read_lit(results), status, "lit")


def read_lit(path):
    counts = Counts()
    for test in json.loads(path.read_text())["tests"] if path.exists() else []:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            counts.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            counts.skipped += 1
        else:
            counts.failed += 1
    return counts


def run_python():
    """The pytest suite of test/python."""
    results = result_file("python.xml")
    environment = {
        "TC_BUILD_DIR": str(BUILD),
        "PYTHONPATH": os.pathsep.join(
            [str(BUILD / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    if "TC_PRELOAD" in os.environ:
        environment["LD_PRELOAD"] = os.environ["TC_PRELOAD"]
    limit = FULL_LIMIT_SECONDS if os.environ.get("TC_TEST_FULL") == "1" else LIMIT_SECONDS
    status = run_status([python_environment.PYTHON, "-m", "pytest", "-q", f"--numprocesses={python_processes()}",
                         "--dist=worksteal", f"--junitxml={results}", ROOT / "test/python"], environment, limit=limit)
    return at_least_one_failure(read_junit(results), status, "pytest")


def python_processes():
    """One a core, and no more than have 4 GiB of memory each: PyTorch and a model of a test take 1 to 3."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(jobs(), memory // (4 << 30)))


def read_junit(path):
    counts = Counts()
    for suite in ElementTree.parse(path).iter("testsuite") if path.exists() else []:
        total, failed, errors, skipped = (
            int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped"))
        failed += errors
        counts += Counts(total - failed - skipped, failed, skipped)
    return counts


def run_compile_only():
    """The suites for code that cannot run here: every op, and random modules, are
    compiled, and the interpreter runs them after each phase before."""
    return run_unit("TCFuzzTests") + run_lit("tc-fuzz")


SUITES = {"lint": run_lint, "unit": run_unit, "lit": run_lit, "python": run_python}
# In the place of all suites that run code.
COMPILE_ONLY = "compile"


def run_suites(names):
    """Runs the named suites one after the other; prints and returns the counts."""
    summary = {}
    for name in names:
        say(f"--- {name} ---")
        summary[name] = run_compile_only() if name == COMPILE_ONLY else SUITES[name]()
        say(f"{name}: {summary[name]}")
    say(f"results in {shorten(str(RESULTS))}:")
    for name, counts in summary.items():
        say(f"  {name:7} {counts}")
    return sum(summary.values(), Counts())
