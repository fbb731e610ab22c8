#!/usr/bin/env python3
"""Writes the passes of each pipeline to test/Pipelines/Inputs.

usage: update_pipeline_dumps.py [TC_OPT]

The tests in test/Pipelines compare `--dump-pass-pipeline` with these files, so a
pass that is added twice, or an option that is not forwarded, shows as a
difference to be read before it is committed. For each test, the commands of
its RUN lines that end in `diff %S/Inputs/NAME.txt -` are run again.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "utils" / "lint"))

from tree import parse_run_lines  # noqa: E402

GOLDEN = re.compile(r"^(env -u \w+ )?(?:cd %S && )?tc-opt (.*?)\s*\|\s*diff %S/(\S+) -$")


def main(arguments):
    tool = Path(arguments[0] if arguments else ROOT / "build/bin/tc-opt").resolve()
    for test in sorted((ROOT / "test/Pipelines").glob("*.mlir")):
        for run in parse_run_lines(test.name, test.read_text()):
            match = GOLDEN.match(run.command)
            if not match:
                continue
            command = f"{match[1] or ''}{tool} {match[2].replace('%s', str(test))}"
            text = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                                  cwd=test.parent).stdout
            path = test.parent / match[3]
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
                print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
