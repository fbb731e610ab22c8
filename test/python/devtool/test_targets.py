"""`./dev test --as=TARGET --threads=N` sets what the suites are run with."""

import os

import pytest

from devtool import suites, targets
from devtool.shell import Failure


class Machine:
    """A tc-run on a machine that lacks features; `needed` change the kernels."""

    def __init__(self, lacking, needed=()):
        self.lacking, self.needed = set(lacking), set(needed)

    def missing_features(self, target):
        return sorted(feature for feature in self.lacking if "-" + feature not in target)

    def kernels(self, target):
        return [feature for feature in sorted(self.needed) if "-" + feature not in target]


@pytest.fixture
def use(monkeypatch):
    for name in ("TC_TARGET", "TC_THREADS"):
        monkeypatch.delenv(name, raising=False)

    def call(machine, target, threads=None):
        monkeypatch.setattr(targets, "missing_features", machine.missing_features)
        monkeypatch.setattr(targets, "kernels", machine.kernels)
        try:
            names = targets.use(target, threads, ["unit", "lit"])
            return names, os.environ.get("TC_TARGET"), os.environ.get("TC_THREADS")
        finally:
            for name in ("TC_TARGET", "TC_THREADS"):
                os.environ.pop(name, None)

    return call


def test_what_the_machine_can_run_is_run(use):
    assert use(Machine([]), "x86-64-v2", 16) == (["unit", "lit"], "cpu:x86-64-v2", "16")
    assert use(Machine([]), "cpu:host:-avx512f") == (["unit", "lit"], "cpu:host:-avx512f", None)
    assert use(Machine([]), None, 1) == (["unit", "lit"], None, "1")


def test_features_that_change_no_kernel_are_left_out(use):
    machine = Machine(["sse4a", "clzero"], ["avx512f"])
    assert use(machine, "znver5") == (["unit", "lit"], "cpu:znver5:-clzero,-sse4a", None)
    assert use(machine, "cpu:znver5:+gfni")[1] == "cpu:znver5:+gfni,-clzero,-sse4a"


def test_what_it_cannot_run_is_compiled(use):
    machine = Machine(["avx512f"], ["avx512f"])
    assert use(machine, "x86-64-v4") == ([suites.COMPILE_ONLY], "cpu:x86-64-v4", None)


def test_an_unknown_target_is_refused(monkeypatch):
    class Finished:
        returncode, stderr = 1, "tc-run: error: the target names the cpu 'znver77'"

    monkeypatch.setattr(targets.subprocess, "run", lambda *_, **__: Finished)
    with pytest.raises(Failure, match="code for cpu:znver77 does not run: .*names the cpu 'znver77'"):
        targets.use("znver77", None, ["lit"])
