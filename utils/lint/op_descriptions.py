"""Every op has a summary, a description of what it means, and an example.

The example is `Example: `...`` or a ```mlir block; test/Docs/op-descriptions.test
parses them."""

import re

from tree import Finding


def check(tree):
    for record in tree.records_of("Op"):
        for message in complaints(record):
            yield Finding(record.path, record.line, f"{record.fields['opName']}: {message}")


def complaints(record):
    if not record.fields["summary"].strip():
        yield "no summary"
    description = record.fields["description"]
    if not description.strip():
        yield "no description"
    elif not examples(description):
        yield "no example: the description has no 'Example: `...`' and no ```mlir block"


def examples(description):
    """The IR of a description's examples."""
    inline = re.findall(r"Example:\s+`([^`]+)`", description)
    return inline + re.findall(r"```mlir[^\n]*\n(.*?)```", description, re.S)
