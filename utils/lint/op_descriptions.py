"""Every op has a summary, a description of what it means, and an example."""

from tree import Finding


def check(tree):
    for record in tree.records_of("Op"):
        name = f"{record.fields['opDialect']}".strip()
        mnemonic = record.fields["opName"]
        for message in complaints(record):
            yield Finding(record.path, record.line, f"{mnemonic or name}: {message}")


def complaints(record):
    if not record.fields["summary"].strip():
        yield "no summary"
    description = record.fields["description"]
    if not description.strip():
        yield "no description"
    elif "```mlir" not in description:
        yield "no example: the description has no ```mlir block"
