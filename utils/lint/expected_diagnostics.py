"""Tests quote diagnostics whole: more than two words, no hole in the text.

A `{{...}}` in an expected error hides what the user will read, its type or its
number above all."""

import re

from tree import Finding

EXPECTED = re.compile(r"expected-(?:error|warning)(?:-re)?\s*(?:@\S+)?\s*\{\{(.*)\}\}\s*$")


def check(tree):
    for path in tree.lit_tests:
        for number, line in tree.lines(path):
            match = EXPECTED.search(line)
            if not match:
                continue
            message = match[1]
            if "{{" in message:
                yield Finding(path, number, "quote the whole message instead of a {{hole}}")
            elif len(re.findall(r"[\w.'#%<>-]+", message)) <= 2:
                yield Finding(path, number, f"'{message}' is too short: quote the whole message")
