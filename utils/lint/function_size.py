"""Functions stay under 80 lines, from the signature to the closing brace.

C++ is read by its braces, not parsed: a brace opens a function when a
parenthesis was closed before it and no enclosing brace is a function's."""

import ast
import re

from tree import Finding, offline_text

LIMIT = 80
SCOPES = re.compile(r"^\s*(?:inline\s+)?(?:namespace\b|extern\b[^()]*$)|\b(?:class|struct|union|enum)\b[^()=]*$")


def check(tree):
    for path in tree.files(".cpp", ".h", ".c"):
        for line, length, name in cpp_functions(tree.text(path)):
            if length > LIMIT:
                yield finding(path, line, length, name)
    for path in tree.files(".py"):
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = node.end_lineno - node.lineno + 1
                if length > LIMIT:
                    yield finding(path, node.lineno, length, node.name)


def finding(path, line, length, name):
    return Finding(path, line, f"{name} has {length} lines, the limit is {LIMIT}; split it")


def cpp_functions(text):
    """Yields (first line, lines, name) of each function."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: re.sub(r"[^\n]", " ", match[0]),
                  offline_text(text), flags=re.M)
    stack = []  # (is function, start of its header)
    header_start = 0
    for match in re.finditer(r"[{};]", text):
        position = match.start()
        if match[0] == "{":
            header = text[header_start:position]
            inside = any(is_function for is_function, _ in stack)
            stack.append((not inside and opens_function(header), header_start))
        elif match[0] == "}" and stack:
            is_function, start = stack.pop()
            if is_function:
                rest = text[position + 1:position + 200].lstrip()
                if rest[:1] in (",", "{"):  # a member initialiser; the body follows
                    header_start = start
                    continue
                yield measure(text, start, position)
        if not any(is_function for is_function, _ in stack):
            header_start = position + 1


def opens_function(header):
    if ")" not in header or SCOPES.search(header):
        return False
    return not re.search(r"=\s*$|\breturn\s*$", header)


def measure(text, start, end):
    start += len(text[start:end]) - len(text[start:end].lstrip())
    # Labels such as `public:` are no part of the signature.
    label = re.match(r"(?:(?:public|private|protected)\s*:\s*)+", text[start:end])
    start += label.end() if label else 0
    header = text[start:text.index("{", start)]
    name = re.search(r"([\w:~]+|operator\S+?)\s*\(", header)
    line = text.count("\n", 0, start) + 1
    return line, text.count("\n", start, end) + 1, name[1] if name else "function"
