"""The counts of `./dev test`, and its exit status."""

import json

import pytest

from devtool import building, cli, packages, python_environment, suites
from devtool.shell import Failure, run_status
from devtool.suites import Counts


def test_gtest_results(tmp_path):
    file = tmp_path / "unit.json"
    file.write_text(json.dumps({"testsuites": [{"testsuite": [
        {"status": "RUN", "result": "COMPLETED"},
        {"status": "RUN", "result": "COMPLETED", "failures": [{"failure": "x"}]},
        {"status": "RUN", "result": "SKIPPED"},
        {"status": "NOTRUN", "result": "SUPPRESSED"},
    ]}]}))
    assert suites.read_gtest(file) == Counts(1, 1, 2)


def test_lit_results(tmp_path):
    file = tmp_path / "lit.json"
    codes = ["PASS", "XFAIL", "FAIL", "XPASS", "UNRESOLVED", "TIMEOUT", "UNSUPPORTED"]
    file.write_text(json.dumps({"tests": [{"code": code} for code in codes]}))
    assert suites.read_lit(file) == Counts(2, 4, 1)


def test_pytest_results(tmp_path):
    file = tmp_path / "python.xml"
    file.write_text('<testsuites><testsuite tests="9" failures="2" errors="1" skipped="1"/></testsuites>')
    assert suites.read_junit(file) == Counts(5, 3, 1)


@pytest.mark.parametrize("read", [suites.read_gtest, suites.read_lit, suites.read_junit])
def test_a_suite_that_dies_has_failed(tmp_path, read):
    counts = suites.at_least_one_failure(read(tmp_path / "nothing"), -11, "the program")
    assert counts == Counts(0, 1, 0)


# Of five tests those that its part has: the one with number 3 fails.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
part, parts = int(os.environ["GTEST_SHARD_INDEX"]), int(os.environ["GTEST_TOTAL_SHARDS"])
tests = [{"status": "RUN", "result": "COMPLETED", **({"failures": [{}]} if i == 3 else {})} for i in range(part, 5, parts)]
file, = (argument.partition("json:")[2] for argument in sys.argv if "json:" in argument)
open(file, "w").write(json.dumps({"testsuites": [{"testsuite": tests}]}))
sys.exit(any("failures" in test for test in tests))
"""


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_each_test_of_a_program_is_in_one_part(tmp_path, monkeypatch, jobs):
    monkeypatch.setattr(suites, "BUILD", tmp_path)
    monkeypatch.setattr(suites, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(suites, "jobs", lambda: jobs)
    (tmp_path / "unittests").mkdir()
    program = tmp_path / "unittests/SomeTests"
    program.write_text(PROGRAM)
    program.chmod(0o700)
    assert suites.run_unit() == Counts(4, 1)


def test_a_suite_that_hangs_is_ended():
    assert run_status(["bash", "-c", "sleep 60 & sleep 60"], limit=0.2) == 124


def run_test_command(monkeypatch, capsys, counts=None, failure=None):
    """`./dev test` with no arguments; returns (status, last line)."""

    def build(*_, **__):
        if failure:
            raise Failure(failure)

    monkeypatch.setattr(packages, "install", lambda _: None)
    monkeypatch.setattr(python_environment, "ensure", lambda: None)
    monkeypatch.setattr(building, "build", build)
    for name, count in (counts or {}).items():
        monkeypatch.setitem(suites.SUITES, name, lambda count=count: count)
    status = cli.main(["test"])
    return status, capsys.readouterr().out.splitlines()[-1]


def test_the_last_line_is_the_total(monkeypatch, capsys):
    counts = dict(zip(suites.SUITES, [Counts(1), Counts(2), Counts(3), Counts(4, 0, 5)]))
    assert run_test_command(monkeypatch, capsys, counts) == (0, "10 passed, 0 failed, 5 skipped")


def test_a_failed_suite_fails_the_run(monkeypatch, capsys):
    counts = dict(zip(suites.SUITES, [Counts(1), Counts(2, 1), Counts(3), Counts(4)]))
    assert run_test_command(monkeypatch, capsys, counts) == (1, "10 passed, 1 failed")


def test_a_failed_build_fails_the_run(monkeypatch, capsys):
    assert run_test_command(monkeypatch, capsys, failure="no compiler") == (1, "0 passed, 1 failed")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    missing = packages.Package("libnothing-dev", files=("/nowhere/nothing.h",))
    with pytest.raises(Failure, match="no apt-get here.*libnothing-dev"):
        packages.install([missing])


def llvm_package():
    return packages.Package("libmlir-22-dev", files=("/nowhere/MLIRConfig.cmake",))


def test_where_no_system_package_is_the_bundle_is_named(monkeypatch):
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    with pytest.raises(Failure, match="no LLVM 22 \\(libmlir-22-dev\\)(.|\n)*`./dev bundle` makes one"):
        packages.install([llvm_package()])


def test_where_the_distribution_has_no_llvm_the_bundle_is_named(monkeypatch):
    ran = []
    monkeypatch.setattr(packages.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(packages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(packages, "run", lambda command, what: ran.append(what))
    monkeypatch.setattr(packages, "output_of", lambda _: "libmlir-22-dev:\n  Candidate: (none)\n")
    with pytest.raises(Failure, match="no LLVM 22 \\(libmlir-22-dev\\)(.|\n)*`./dev bundle` makes one"):
        packages.install([llvm_package()])
    assert ran == ["apt-get update"]
