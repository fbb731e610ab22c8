"""Every labelled constraint and every kind of guard has a negative test.

A description may number constraints, `(gather_c1)` and so on; a kind of guard
has the label guard_<kind>. A lit test whose name contains `invalid` or `errors`
names the label, as the function it is in or in a comment."""

import re

from tree import Finding

LABEL = re.compile(r"\(([a-z0-9_]+_c\d+)\)")


def check(tree):
    tested = set()
    for path in tree.lit_tests:
        if re.search(r"invalid|errors", path):
            tested |= set(re.findall(r"[a-z][a-z0-9_]+", tree.text(path)))
    for path in tree.files(".td", under="include"):
        for number, line in tree.lines(path):
            for label in LABEL.findall(line):
                if label not in tested:
                    yield Finding(path, number, f"no negative test names {label}")
    for record in tree.records:
        if record.name.endswith("GuardKind"):
            for case in record.fields["enumerants"]:
                if f"guard_{case['str']}" not in tested:
                    yield Finding(record.path, record.line, f"no negative test names guard_{case['str']}")
