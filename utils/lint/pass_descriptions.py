"""A pass description says what and why, and shows the IR before and after.

Under `#### Before` and `#### After` is a ```mlir block each, which
test/Docs/pass-descriptions.test runs through the pass. `#### Input`,
`#### Output` and `#### Limits` are prose. The summary says more than the name."""

import re

from registry import passes
from tree import Finding, kebab_case

HEADINGS = ("Input", "Output", "Before", "After", "Limits")


def sections(description):
    """The text under each `#### Heading`; what comes first is under ''."""
    parts = re.split(r"^[ \t]*#### +(.+?)[ \t]*$", description, flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def code_block(text):
    """The first ```mlir block of a section, or None."""
    match = re.search(r"```mlir[^\n]*\n(.*?)```", text or "", re.S)
    return match[1] if match else None


def check(tree):
    for record in passes(tree):
        for message in complaints(record):
            yield Finding(record.path, record.line, f"{record.name}: {message}")


def complaints(record):
    summary = record.fields["summary"].strip()
    words = re.findall(r"\w+", summary.lower())
    if len(words) < 3:
        yield "the summary is a sentence of three words or more"
    elif set(words) <= set(kebab_case(record.name).split("-")) | {"a", "an", "the"}:
        yield f"the summary '{summary}' only restates the name"
    found = sections(record.fields["description"])
    if len(found[""].split()) < 10:
        yield "the description starts with what the pass does and why"
    for heading in HEADINGS:
        if heading not in found:
            yield f"the description has no '#### {heading}'"
        elif not found[heading].strip():
            yield f"'#### {heading}' is empty"
        elif heading in ("Before", "After") and not code_block(found[heading]):
            yield f"'#### {heading}' has no ```mlir block"
