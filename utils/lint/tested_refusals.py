"""Every reason to refuse a fusion is quoted in a lit test.

Read are the string literals of `refuse(...)`, `remarkRefused(...)` and
`createStringError(...)` of the fusion passes and of the analyses they ask; what
is between the literals of one reason is computed. A test quotes the reason
after "did not fuse"."""

import re

from diagnostic_text import LITERAL, end_of_statement
from tested_constraints import joined
from tree import Finding

CALL = re.compile(r"\b(?:return refuse|remarkRefused|createStringError)\s*\(")


def check(tree):
    quoted = [line for path in tree.lit_tests for _, line in tree.lines(path)
              if "did not fuse" in line]
    for path, line, parts in reasons(tree):
        pattern = re.compile(".*".join(map(re.escape, parts)))
        if not any(pattern.search(text) for text in quoted):
            yield Finding(path, line, f"no test quotes the reason \"{'...'.join(parts)}\"")


def reasons(tree):
    """(path, line, literal parts) of each reason."""
    for folder in ("lib/Transforms", "lib/Analysis"):
        for path in tree.files(".cpp", under=folder):
            text = re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), tree.text(path))
            for match in CALL.finditer(text):
                statement = text[match.start():end_of_statement(text, match.start())]
                parts = LITERAL.findall(joined(statement))
                if parts:
                    yield path, text.count("\n", 0, match.start()) + 1, parts
