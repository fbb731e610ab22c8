"""`./dev run`: the bundled examples, or whatever tc-run is told."""

from . import examples
from .building import build
from .shell import BUILD, Failure, run_status, say


def run_examples(arguments):
    """Builds what the pages' commands use and hands tc-run `arguments`; without
    any, runs the examples."""
    build(["tc-run", "tc-opt"])
    if arguments:
        return run_status([BUILD / "bin" / "tc-run", *arguments])
    say("running the commands in examples/*.mlir")
    count, failed = examples.run_all(BUILD / "bin")
    if not count:
        raise Failure("no file in examples/ has a line `// $ tc-run ...`")
    for command in failed:
        say(f"failed: {command}")
    say(f"{count} commands, {len(failed)} failed")
    return 1 if failed else 0
