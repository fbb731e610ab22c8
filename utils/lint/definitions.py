"""A function that a header declares is defined in the .cpp of that name.

Also right is a .cpp that the function's name names, as a list of themes has it:
addPooling is in Pooling.cpp. A class whose methods need several files is split
by idea. C++ is read by its braces and semicolons, not parsed, and functions of
one name count as one."""

import re
from collections import defaultdict

from tree import Finding, offline_text

NAMESPACE = re.compile(r'(?:inline\s+)?namespace\b\s*([\w:]*)$|extern\s+"?\s*"?$')
CLASS = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union)\s+([\w:]+)(?:\s+final)?"
                   r"\s*(?::(?!:).*)?$", re.S)
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
NO_FUNCTION = re.compile(r"(?:using|typedef|friend|return|extern\s+template|static_assert|static|inline\s+static)\b")
NAME = re.compile(r"(~?\w+(?:::~?\w+)*)\s*\(")
NO_NAME = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "alignas", "operator",
           "__attribute__", "noexcept", "defined", "assert"}


def check(tree):
    declared, defined = defaultdict(set), defaultdict(list)
    for path in tree.files(".h"):
        if path.startswith(("include/", "lib/")):
            for _, scope, name, has_body in functions(tree.text(path)):
                if not has_body:
                    declared[scope, name].add(stem(path))
    for path in tree.files(".cpp", ".c", under="lib"):
        for line, scope, name, has_body in functions(tree.text(path)):
            if has_body:
                defined[scope, name].append((path, line))
    for (scope, name), places in sorted(defined.items()):
        headers = declared.get((scope, name))
        for path, line in places if headers else ():
            if stem(path) in headers or (not scope and stem(path).lower() in name.lower()):
                continue
            full = f"{scope}::{name}" if scope else name
            mend = "split the class by idea" if scope else f"declare it in {stem(path)}.h"
            yield Finding(path, line, f"'{full}' is declared in {' and '.join(sorted(headers))}.h; "
                                      f"{mend}, or define it there")


def stem(path):
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def functions(text):
    """(line, class or "", name, whether it has a body) of each function outside of functions."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: re.sub(r"[^\n]", " ", match[0]),
                  offline_text(text), flags=re.M)
    scopes, depth, start = [], 0, 0  # classes around, None for namespaces; braces of a body
    for match in re.finditer(r"[{};]", text):
        head = text[start:match.start()]
        if depth:
            depth += {"{": 1, "}": -1, ";": 0}[match[0]]
            start = match.end()
            continue
        begin = start + len(head) - len(head.lstrip())
        head = ACCESS.sub(" ", head).strip()
        start = match.end()
        if match[0] == "}":
            if scopes:
                scopes.pop()
        elif match[0] == "{" and NAMESPACE.match(head):
            scopes.append("!" if head.split()[-1] == "namespace" else None)
        elif match[0] == "{" and CLASS.match(head):
            scopes.append(CLASS.match(head)[1])
        else:
            depth = match[0] == "{"
            name = function_name(head)
            if name and "!" not in scopes:
                own = [scope for scope in scopes if scope] + name.split("::")[:-1]
                own = [part for part in own if part[0].isupper()]
                yield (text.count("\n", 0, begin) + 1, "::".join(own), name.split("::")[-1],
                       match[0] == "{")


def function_name(head):
    """The name of the function that `head` begins or declares, with its scope; None for others."""
    head = re.sub(r"\[\[[^\]]*\]\]", "", re.sub(r"^template\s*<[^{}]*?>\s*(?=\w)", "", head)).strip()
    match = NAME.search(head)
    if not match or NO_FUNCTION.match(head) or match[1] in NO_NAME or "operator" in head:
        return None
    if "=" in head[:match.start()] or re.search(r"=\s*(?:default|delete|0)$", head):
        return None
    return match[1]
