"""Every op with a verifier has a test of what it refuses.

Counted is an `expected-error` that starts with the op's name. The op pages of
the docs list these tests as the op's constraints."""

import re

from tree import Finding

ERROR = re.compile(r"expected-error[^{\n]*\{\{'(?:tc|block)\.(\w+)' op (.*)\}\}\s*$", re.M)


def check(tree):
    refused = {name for path in tree.lit_tests for name, _ in ERROR.findall(tree.text(path))}
    for record in tree.records_of("Op"):
        verified = record.fields["hasVerifier"] or record.fields["hasRegionVerifier"]
        if verified and record.fields["opName"] not in refused:
            yield Finding(record.path, record.line,
                          f"no test expects an error of the verifier of {record.fields['opName']}")


def constraints(tree):
    """{op: [(intent of the test, message)]} from the negative tests of the dialect."""
    found = {}
    for path in tree.lit_tests:
        if not path.startswith("test/Dialect/") or "invalid" not in path:
            continue
        for section in re.split(r"^// -----$", tree.text(path), flags=re.M):
            comments = [line for line in re.findall(r"^// (.+)$", section, re.M)
                        if not re.match(r"RUN:|expected-|REQUIRES:", line)]
            for name, message in ERROR.findall(section)[:1]:
                if comments:
                    found.setdefault(name, []).append((comments[-1].rstrip("."), message))
    return found
