"""Diagnostics start in lower case and end without a period.

Read are the string literals of `emitError(...)`, `emitOpError(...)` and the like, up to
the end of the statement."""

import re

from tree import Finding

EMIT = re.compile(r"\bemit(?:Op)?(?:Error|Warning|Remark)\s*\(|\battachNote\s*\(")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def check(tree):
    for path in tree.files(".cpp", ".h", under="lib"):
        text = re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), tree.text(path))
        for match in EMIT.finditer(text):
            statement = text[match.start():end_of_statement(text, match.start())]
            literals = LITERAL.findall(statement)
            if not literals:
                continue
            line = text.count("\n", 0, match.start()) + 1
            if re.match(r"[A-Z][a-z]", literals[0]):
                yield Finding(path, line, f"a diagnostic starts in lower case: \"{literals[0]}\"")
            if re.search(r"\w\.$", literals[-1]) and statement.rstrip(") \n").endswith('"'):
                yield Finding(path, line, f"a diagnostic ends without a period: \"{literals[-1]}\"")


def end_of_statement(text, start):
    """The position of the `;` that ends the statement; strings are skipped."""
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|;', text[start:]):
        if match[0] == ";":
            return start + match.start()
    return len(text)
