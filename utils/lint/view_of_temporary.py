"""A range-for over a view holds on to what it views.

`for (x : ArrayRef(f()).drop_front())` walks a container that is destroyed before
the first iteration: C++20 keeps the outermost temporary alive and no other."""

import re

from tree import Finding

RANGE = re.compile(r"\bfor \([^;{}]*?:\s*(?:llvm::)?(?:ArrayRef|MutableArrayRef|StringRef|ValueRange|TypeRange)(?:<[\w:]+>)?"
                   r"\(([^;{}]*?)\)\s*\.\s*\w+\(")
# A function's result; what a method gives is as a rule a member.
BITS = re.compile(r"\bfor \([^;{}]*?:\s*([\w:]+\([^;{}]*?\))\s*\.\s*set_bits\(\)\s*\)")


def check(tree):
    for path in tree.paths:
        if not path.endswith((".cpp", ".h")):
            continue
        text = tree.text(path)
        for match in [*RANGE.finditer(text), *BITS.finditer(text)]:
            if "(" in match[1]:
                yield Finding(path, text.count("\n", 0, match.start()) + 1,
                              f"name '{' '.join(match[1].split())}' before the loop: the view outlives what a call returns")
