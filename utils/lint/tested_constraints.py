"""Every constraint that a verifier checks has a test that quotes its message.

Read are the string literals of `emitOpError(...)`, `emitError(...)` and
`inferenceError<...>(...)` in the dialect and in the verifiers of the phases; what
stands between the literals of one message is computed. An `expected-error` of a
lit test has the message, or a unit test where only a builder can cause it."""

import re

from diagnostic_text import LITERAL, end_of_statement
from tree import Finding

CALL = re.compile(r"\b(?:emitOpError|emitError|inferenceError<\w+>|parser\.emitError)\s*\(|\brefuse\(op,")
PLACES = re.compile(r"lib/Dialect/TC/IR/\w+\.(?:cpp|h)$|lib/Transforms/(?:\w+/)?Verify\w+\.cpp$")


def check(tree):
    expected = [line for path in tree.lit_tests for _, line in tree.lines(path)
                if "expected-error" in line or re.search(r"\berror: ", line)]
    expected += [line for path in tree.files(".cpp", under="unittests")
                 for line in joined(tree.text(path)).splitlines()]
    for path, line, parts in messages(tree):
        pattern = re.compile(".*".join(map(re.escape, parts)))
        if not any(pattern.search(text) for text in expected):
            yield Finding(path, line, f"no test expects the error \"{'...'.join(parts)}\"")


def joined(text):
    """C++ text in which literals that follow each other are one."""
    return re.sub(r'"\s*\n\s*"', "", text)


def messages(tree):
    """(path, line, literal parts) of each message; parts that a condition chooses are left out."""
    for path in filter(PLACES.match, tree.files(".cpp", ".h", under="lib")):
        text = re.sub(r"(?m)//[^\n]*$", lambda match: " " * len(match[0]), tree.text(path))
        for match in CALL.finditer(text):
            statement = text[match.start():end_of_statement(text, match.start())]
            statement = joined(statement)
            # Of `c ? "a" : "b"` one is in the message.
            statement = re.sub(r'\?\s*"[^"\n]*"[^:;]*:\s*"[^"\n]*"', " ", statement)
            parts = [part for part in LITERAL.findall(statement) if part.strip(" '\",;:.()[]")]
            parts = [part.replace('\\"', '"') for part in parts]
            if parts:
                yield path, text.count("\n", 0, match.start()) + 1, parts
