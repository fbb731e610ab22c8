"""Each rewrite pattern has a line `// Pattern: before -> after` above it.

The docs list the patterns from these lines."""

import re

from tree import Finding

PATTERN_CLASS = re.compile(
    r"^(?:struct|class)\s+(\w+)[^;{]*?:\s*(?:public\s+)?(?:mlir::)?"
    r"(?:Op|OpInterface|OpTrait)?(?:Rewrite|Conversion)Pattern\b", re.M)


def check(tree):
    for path in tree.files(".cpp", ".h"):
        text = tree.text(path)
        for match in PATTERN_CLASS.finditer(text):
            if is_base(text, match.start()):
                continue
            comment = comment_above(text, match.start())
            line = text.count("\n", 0, match.start()) + 1
            if "Pattern:" not in comment:
                yield Finding(path, line, f"{match[1]} has no '// Pattern: before -> after' above it")
            elif not re.search(r"Pattern:.*->.*\S", comment, re.S):
                yield Finding(path, line, f"the Pattern: line of {match[1]} has no '->'")


def is_base(text, position):
    """Whether the class at a position has a pure virtual function: its derived
    classes are the patterns."""
    end = text.find("\n};", position)
    return "= 0;" in text[position:end]


def comment_above(text, position):
    """The // lines right above a position; a template line may be between."""
    lines = []
    for line in reversed(text[:position].rstrip("\n").split("\n")):
        if line.startswith("template"):
            continue
        if not line.startswith("//"):
            break
        lines.insert(0, line)
    return "\n".join(lines)
