"""`./dev test --sanitize=...`: the suites on a build with a sanitizer of clang's.

LLVM's and MLIR's own libraries are as they are installed, and so is generated
code. Python is no program of TC's: it loads the sanitizer's runtime ahead.
"""

import os
import platform
import resource
from pathlib import Path

from . import building, packages, python_environment, suites
from .shell import ROOT, Failure, output_of, say

SANITIZERS = {"address,undefined": "sanitize-address", "thread": "sanitize-thread"}
# The tests that do not run with a sanitizer, by suite, and why; printed with the counts.
LEFT_OUT = {
    "address,undefined": {
        "lint": "reads sources only",
    },
    "thread": {
        "lint": "reads sources only",
        "lit": "the runtime alone has threads of its own, and its unit tests run them",
        "python": "the runtime alone has threads of its own, and its unit tests run them",
    },
}
OPTIONS = {
    # LLVM's containers and its allocators, which mark memory that they have not
    # given away, pass between its code, which is not checked, and TC's; its registries
    # live until the process ends; a refused allocation is an error that TC reports.
    # CUDA's driver maps memory in the gap of the sanitizer's shadow.
    "ASAN_OPTIONS": "protect_shadow_gap=0:allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:detect_odr_violation=0:"
                    "allocator_may_return_null=1:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    # A fork holds all locks of the memory pool, more than the deadlock detector counts.
    "TSAN_OPTIONS": "halt_on_error=1:detect_deadlocks=0:die_after_fork=0",
}
# Stack frames of checked code are several times as large, and the deepest nesting
# that TC allows has to fit.
STACK_BYTES = 64 << 20


def run(sanitizers, names):
    """Builds what the suites need, runs them and returns the counts."""
    packages.install(packages.SANITIZER_PACKAGES)
    preset = SANITIZERS[sanitizers]
    folder = ROOT / f"build-{preset}"
    left_out = LEFT_OUT[sanitizers]
    chosen = [name for name in names if name not in left_out]
    if {"lit", "python"} & set(chosen):
        python_environment.ensure()
    targets = ["TCRuntimeTests", "TCRuntimeCUDATests"] if sanitizers == "thread" else []
    building.build(targets, with_tests=True, preset=preset, folder=folder)
    environment = {name: os.environ.get(name, value) for name, value in OPTIONS.items()}
    if "python" in chosen or "lit" in chosen:
        environment["TC_PRELOAD"] = str(find_runtime())
    os.environ.update(environment)
    widen_stack()
    suites.use_build(folder)
    counts = suites.run_suites(chosen)
    for name in names:
        if name in left_out:
            say(f"left out: {name}: {left_out[name]}")
    return counts


def widen_stack():
    """Gives the programs that are started from here on STACK_BYTES of stack, or what the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    most = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_STACK, (most, hard))


def find_runtime():
    """The address sanitizer's runtime as a shared library."""
    folder = output_of(["clang++-22", "-print-runtime-dir"])
    library = Path((folder or "").strip()) / f"libclang_rt.asan-{platform.machine()}.so"
    if not library.exists():
        raise Failure(f"clang++-22 has no shared runtime of the address sanitizer: there is no {library}")
    return library
