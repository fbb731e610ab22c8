"""Every kind of guard has a negative test.

A kind has the label guard_<kind>. A lit test whose name contains `invalid` or
`errors` names the label, as the function it is in or in a comment."""

import re

from tree import Finding


def check(tree):
    tested = set()
    for path in tree.lit_tests:
        if re.search(r"invalid|errors", path):
            tested |= set(re.findall(r"[a-z][a-z0-9_]+", tree.text(path)))
    for record in tree.records:
        if record.name.endswith("GuardKind"):
            for case in record.fields["enumerants"]:
                if f"guard_{case['str']}" not in tested:
                    yield Finding(record.path, record.line, f"no negative test names guard_{case['str']}")
