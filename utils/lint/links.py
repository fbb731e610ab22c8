"""Links and paths in Markdown files exist, and each page of docs/ is linked to.

Checked are relative links, their #anchors, and `code` that starts with one of
the repository's folders. A path with a placeholder (<name>, *, {a,b}, NAME) is
a pattern, which at least one file must match when it has only `*`."""

import os
import re

from tree import Finding

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\s]+)`")
FENCE = re.compile(r"^\s*(```|~~~)")


def check(tree):
    folders = {path.split("/")[0] for path in tree.paths if "/" in path}
    for path in tree.files(".md"):
        fenced = False
        for number, line in tree.lines(path):
            if FENCE.match(line):
                fenced = not fenced
            elif not fenced:
                for message in complaints(tree, path, line, folders):
                    yield Finding(path, number, message)


    for path in sorted(set(tree.files(".md", under="docs")) - linked_pages(tree)):
        yield Finding(path, 1, "no other page links here")


def linked_pages(tree):
    """The files that some Markdown file links to."""
    linked = set()
    for path in tree.files(".md"):
        for target in LINK.findall(tree.text(path)):
            file = os.path.normpath(os.path.join(os.path.dirname(path), target.partition("#")[0]))
            if file != path:
                linked.add(file)
    return linked


def complaints(tree, path, line, folders):
    for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
        if not re.match(r"[a-z]+:", target):
            yield from check_link(tree, path, target)
    for code in CODE.findall(line):
        code = code.removeprefix("./").rstrip("/")
        if "/" in code and code.split("/")[0] in folders and not has_placeholder(code):
            if not matches(tree, code):
                yield f"there is no {code}"


def check_link(tree, path, target):
    file, _, anchor = target.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    if not tree.exists(full):
        yield f"the link to {target} leads nowhere"
    elif anchor and full.endswith(".md") and anchor not in anchors(tree.text(full)):
        yield f"{full} has no heading #{anchor}"


def anchors(text):
    """The anchors that a Markdown renderer makes of the headings."""
    headings = re.findall(r"^#+ +(.+?) *#*$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def has_placeholder(code):
    return bool(re.search(r"[<>{}$]|\.\.\.|\b[A-Z_]{3,}\b(?!\.)", code.replace("CMake", "")))


def matches(tree, code):
    code = re.sub(r":\d+$", "", code)
    if "*" in code:
        return any(tree.root.glob(code))
    return tree.exists(code)
