"""The command line of `./dev`."""

import argparse
import os
import sys

from . import (building, bundle as bundling, packages, python_environment, running, sanitizing, suites,
               targets, wheel as wheels)
from .shell import BUILD, ROOT, Failure, run_status

DESCRIPTION = """Sets up, builds, runs, tests and checks TC. Every command can be
repeated; it prints the commands it runs and installs only what is missing."""


def setup(options, _):
    packages.install(packages.BUILD_PACKAGES)
    if options.scope == "test":
        packages.install(packages.TEST_PACKAGES)
        python_environment.ensure()
    return 0


def build(options, targets):
    building.build(targets, with_tests=options.tests)
    return 0


def run(_, arguments):
    return running.run_examples(arguments)


def test(options, _):
    """The last line is the total, whatever happens before it."""
    if options.device:
        building.build(["tc-run"])
        return run_status([sys.executable, ROOT / "test/Device/check_device.py", f"--device={options.device}",
                           "--tools", BUILD / "bin"])
    if options.full:
        os.environ["TC_TEST_FULL"] = "1"
    names = options.only or list(suites.SUITES)
    try:
        if options.sanitize:
            counts = sanitizing.run(options.sanitize, names)
            print(counts, flush=True)
            return 1 if counts.failed else 0
        if names == ["lint"]:
            packages.install(packages.TEST_PACKAGES)
        else:
            if {"lit", "python"} & set(names):
                python_environment.ensure()
            building.build(with_tests=True)
        if options.target or options.threads is not None:
            names = targets.use(options.target, options.threads, names)
        counts = suites.run_suites(names)
    except Failure as failure:
        print(f"error: {failure}", flush=True)
        counts = suites.Counts(failed=1)
    print(counts, flush=True)
    return 1 if counts.failed else 0


def lint(options, arguments):
    return run_status([sys.executable, ROOT / "utils/lint/run.py",
                       *(["--tidy"] if options.tidy else []), *arguments])


def docs(options, _):
    packages.install(packages.BUILD_PACKAGES)
    return run_status([sys.executable, ROOT / "utils/docs/generate.py",
                       *(["--check"] if options.check else [])])


BENCHMARKS = {"memory": "memory.py", "compile-time": "compile_time.py", "compare": "compare_builds.py"}


def bench(_, arguments):
    """Times calls, or runs the measurement that the first argument names. Rows on a
    CUDA device run in the Python of ./dev, whose torch has to have CUDA."""
    if "--device=cuda" in arguments:
        building.build(["TCPython"])
        arguments = [argument for argument in arguments if argument != "--device=cuda"]
        script = {"random": "gpu_random.py", "schedules": "gpu_schedules.py", "first-results": "gpu_first_results.py",
                  "attention-backward": "gpu_attention_backward.py"}.get(arguments[0] if arguments else "")
        return run_status([sys.executable, ROOT / "benchmarks" / (script or "gpu_rows.py"), *arguments[script is not None:]])
    script = ROOT / "benchmarks" / BENCHMARKS.get(arguments[0] if arguments else "", "run.py")
    if arguments and arguments[0] in BENCHMARKS:
        arguments = arguments[1:]
    if not script.exists():
        raise Failure(f"there is no benchmarks/{script.name}")
    python_environment.ensure()
    building.build()
    return run_status([python_environment.PYTHON, script, *arguments])


def bundle(options, _):
    bundling.make(build=options.build)
    return 0


def wheel(options, _):
    bundling.make(build=options.build, archive=False)
    wheels.make()
    return 0


def make_parser():
    parser = argparse.ArgumentParser(prog="./dev", description=DESCRIPTION)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name, function, help, passes_on=None):
        sub = commands.add_parser(name, help=help, description=help, allow_abbrev=False,
                                  epilog=passes_on and f"Further arguments: {passes_on}.")
        sub.set_defaults(function=function, passes_on=passes_on)
        return sub

    sub = command("setup", setup, "install what is missing: system packages, and .venv for the tests")
    sub.add_argument("scope", nargs="?", choices=["build", "test"], default="test",
                     help="install for building only, or for the tests as well (default)")
    sub = command("build", build, "build with the CMake preset `default` into build/",
                  "ninja's targets")
    sub.add_argument("--tests", action="store_true", help="install gtest and build the unit tests")
    command("run", run, "build tc-run and run the bundled examples",
            "handed to tc-run, instead of the examples")
    sub = command("test", test, "build, then run the lints, unit tests, lit tests and Python tests")
    sub.add_argument("--full", action="store_true",
                     help="every test; the default is a slice with a fixed seed")
    sub.add_argument("--only", action="append", choices=list(suites.SUITES),
                     help="this suite alone; can be given more than once")
    sub.add_argument("--as", dest="target", metavar="TARGET",
                     help="test code for another CPU than this machine's, such as x86-64-v3 or znver5:-sse4a; what this "
                          "machine cannot run is compiled only, and compared in the interpreter after each phase")
    sub.add_argument("--threads", type=int, metavar="N", help="run compiled code on N threads instead of all cores")
    sub.add_argument("--sanitize", choices=list(sanitizing.SANITIZERS),
                     help="on a build of its own with these sanitizers: unit, lit and Python tests, or the runtime's")
    sub.add_argument("--device", choices=["cpu", "cuda"],
                     help="instead run small modules on this device and compare them with the interpreter")
    sub = command("lint", lint, "run the lints", "names of lints, instead of all")
    sub.add_argument("--tidy", action="store_true", help="clang-tidy as well (slow, needs a build)")
    sub = command("docs", docs, "write the generated pages of docs/")
    sub.add_argument("--check", action="store_true",
                     help="write nothing; fail if a committed page is out of date")
    sub = command("bundle", bundle,
                  "make build/bundle/tc-VERSION-SYSTEM-MACHINE.tar.xz, which runs where there is no LLVM")
    sub.add_argument("--no-build", dest="build", action="store_false", help="pack what is built already, which has to be up to date")
    sub = command("wheel", wheel, "make wheels of the Python package in build/wheels, with LLVM inside")
    sub.add_argument("--no-build", dest="build", action="store_false", help="pack what is built already, which has to be up to date")
    command("bench", bench, "build and run the benchmarks; `bench memory` and `bench compile-time` those of that, `bench compare` two builds; `bench --device=cuda` rows on a CUDA device, `bench random --device=cuda` random kernels there, `bench schedules --device=cuda` other schedules of a kernel, `bench first-results --device=cuda` first results and memory of models, `bench attention-backward --device=cuda` gradients of attention",
            "handed to benchmarks/run.py, gpu_rows.py, gpu_random.py, gpu_schedules.py, gpu_first_results.py, gpu_attention_backward.py, memory.py, compile_time.py or compare_builds.py")
    command("help", lambda *_: parser.print_help() or 0, "print this text")
    return parser


def main(arguments):
    if sys.version_info < (3, 11):
        print(f"error: ./dev needs Python 3.11 or newer, this is {sys.version.split()[0]}")
        return 1
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and not options.passes_on:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    try:
        return options.function(options, rest)
    except Failure as failure:
        print(f"error: {failure}", flush=True)
        return 1
    except KeyboardInterrupt:
        return 130
