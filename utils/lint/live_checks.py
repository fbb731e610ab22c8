"""Every check in a lit test is read by something.

A line `// PREFIX-NEXT: ...` needs a FileCheck that reads this file with that
prefix; a FileCheck needs such lines; `expected-error` needs --verify-diagnostics."""

import re

from tree import Finding, parse_run_lines

SUFFIX = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?(?:\{LITERAL\})?"
DIRECTIVE = re.compile(rf"^\s*(?:(?://|#|;)\s*)?([A-Z][A-Z0-9_-]*?){SUFFIX}:(?!:)")
COLONLESS = re.compile(r"^\s*(?://|#|;)\s*CHECK(?:-[A-Z]+)*\s+\S")
# Words of lit and of people, which no FileCheck reads.
OTHER_WORDS = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "ALLOW_RETRIES", "END", "DEFINE",
               "REDEFINE", "TODO", "NOTE", "FIXME"}


def check(tree):
    for path in tree.lit_tests:
        text = tree.text(path)
        runs = parse_run_lines(path, text)
        used = used_prefixes(runs)
        present = {}
        for number, line in tree.lines(path):
            match = DIRECTIVE.match(line)
            if match and match[1] not in OTHER_WORDS:
                present.setdefault(match[1], number)
            elif COLONLESS.match(line):
                yield Finding(path, number, "a check without a colon is never read")
        for prefix, number in present.items():
            if prefix not in used:
                yield Finding(path, number, f"no FileCheck reads the lines with {prefix}")
        for prefix, number in used.items():
            if prefix not in present:
                yield Finding(path, number, f"FileCheck finds no line with {prefix}")
        expected = re.search(r"expected-(?:error|warning|remark|note)", text)
        if expected and not any("-verify-diagnostics" in run.command for run in runs):
            yield Finding(path, text.count("\n", 0, expected.start()) + 1,
                          "expected diagnostics without --verify-diagnostics")


def used_prefixes(runs):
    """The prefixes of the FileChecks that read the test itself, with a line each."""
    used = {}
    for run in runs:
        for command in re.split(r"\||&&|;", run.command):
            if "FileCheck" not in command or "%s" not in command:
                continue
            given = re.findall(r"-check-prefix(?:es)?[= ]\s*([\w,-]+)", command)
            for prefix in ",".join(given or ["CHECK"]).split(","):
                used.setdefault(prefix, run.line)
    return used
