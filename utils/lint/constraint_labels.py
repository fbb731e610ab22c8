"""Every labelled constraint has a negative test.

An op's description numbers its constraints, `(gather_c1)` and so on; a lit
test below test/ whose name contains `invalid` or `errors` names the label, as
the function it is in or in a comment."""

import re

from tree import Finding

LABEL = re.compile(r"\(([a-z0-9_]+_c\d+)\)")


def check(tree):
    tested = set()
    for path in tree.lit_tests:
        if re.search(r"invalid|errors", path):
            tested |= set(re.findall(r"[a-z0-9_]+_c\d+(?!\w)", tree.text(path)))
    for path in tree.files(".td", under="include"):
        for number, line in tree.lines(path):
            for label in LABEL.findall(line):
                if label not in tested:
                    yield Finding(path, number, f"no negative test names {label}")
