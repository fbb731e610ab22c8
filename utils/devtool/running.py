"""`./dev run`: the bundled examples, or whatever tc-run is told."""

from .building import build
from .shell import BUILD, ROOT, Failure, run, run_status, say


def run_examples(arguments):
    """Builds tc-run and hands it `arguments`; without any, each bundled example."""
    build(["tc-run"])
    tool = BUILD / "bin" / "tc-run"
    if arguments:
        return run_status([tool, *arguments])
    examples = sorted((ROOT / "examples").glob("*.mlir"))
    if not examples:
        raise Failure("there is no example in examples/*.mlir")
    for example in examples:
        run([tool, example], f"the example {example.name}")
    say(f"ran {len(examples)} examples")
    return 0
