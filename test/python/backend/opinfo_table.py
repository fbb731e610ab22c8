"""The table of what became of the entries of PyTorch's table of operators."""

import re
from collections import Counter

COMPLEX = ("c32", "c64", "c128")
# Of samples that TC has compiled.
COMPILED = ("compiled", "as captured", "form")
GOOD = (*COMPILED, "refused by PyTorch")
WORST_FIRST = ("crash", "differs", "error", "no error", "too slow", "falls back", "not captured")
FOLDERS = re.compile(r"/\S*/(?=test/python/)")  # of the machine
COLUMNS = ("compiled", "falls back", "not captured", "differs", "error", "no error", "too slow", "crash")
KINDS = (("real element types", {"real"}), ("with complex", {"real", "complex"}), ("gradients", {"gradients"}),
         ("operands that are not contiguous", {"strided"}), ("calls that PyTorch refuses", {"errors"}))


def kind_of(row):
    if row == "errors":
        return "errors"
    kind, _, dtype = row.rpartition("-")
    if kind:
        return {"grad": "gradients", "strided": "strided"}[kind]
    return "complex" if dtype in COMPLEX else "real"


def outcome_of(rows, kinds):
    """The worst outcome of an entry's rows of some kinds; None where it has none."""
    outcomes = {row["outcome"] for name, row in rows.items() if kind_of(name) in kinds}
    if worst := next((outcome for outcome in WORST_FIRST if outcome in outcomes), None):
        return worst
    return "compiled" if outcomes.intersection(COMPILED) else None


def line(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def totals(rows):
    """Entries by their worst sample."""
    lines = [line("", "entries", *COLUMNS), "|---|" + "---|" * (1 + len(COLUMNS))]
    for title, kinds in KINDS:
        counts = Counter(outcome_of(entry, kinds) for entry in rows.values())
        counts.pop(None, None)
        total = sum(counts.values())
        has_complex = any(kind_of(row) == "complex" for entry in rows.values() for row in entry)
        if total and (has_complex or "complex" not in kinds):
            lines.append(line(title, total, *(f"{counts[one]} ({100 * counts[one] / total:.1f}%)" if one == "compiled"
                                              else counts[one] for one in COLUMNS)))
    return "\n".join(lines) + "\n"


def samples(rows):
    """Samples by their outcome, a row for each element type and kind."""
    columns = ("compiled", "as captured", "form", *COLUMNS[1:])
    counts = {}
    for entry in rows.values():
        for name, row in entry.items():
            counts.setdefault(name, Counter()).update(row["counts"])
    lines = [line("", "samples", *columns), "|---|" + "---|" * (1 + len(columns))]
    for name in sorted(counts, key=lambda name: (name == "errors", name.rpartition("-")[0], name)):
        total = sum(counts[name].values()) - counts[name]["refused by PyTorch"]
        lines.append(line(name, total, *(counts[name][one] for one in columns)))
    return "\n".join(lines) + "\n"


def entry_line(name, rows):
    wrong = {}
    for row_name, row in rows.items():
        if row["outcome"] not in GOOD:
            text = FOLDERS.sub("", " ".join(row["text"].split()))[:160].replace("|", "\\|")
            wrong.setdefault((row["outcome"], text), []).append(row_name)
    good = [row_name for row_name, row in rows.items() if row["outcome"] in COMPILED]
    return line(f"`{name}`", " ".join(good), "<br>".join(
        f"{outcome} ({' '.join(names)}): {text}" for (outcome, text), names in wrong.items()))


def table(rows):
    return "\n".join([HEAD, "## Entries, by their worst sample", "", totals(rows), "## Samples", "", SAMPLES, samples(rows),
                      "## Each entry", "", line("entry", "compiled", "else"), "|---|---|---|",
                      *(entry_line(name, rows[name]) for name in sorted(rows))]) + "\n"


HEAD = """# PyTorch's table of operators through torch.compile

<!-- Written by test/python/backend/opinfo.py; run it again instead of editing. -->

Each entry of `torch.testing._internal.common_methods_invocations.op_db`, but for every fifth, is compiled by the
backend with no fallback, in the element types and samples that are counted below, and compared with eager PyTorch:
values, element types, sizes and strides. An entry is in the column of its worst sample. What PyTorch itself does not
capture (sizes that depend on data, results that are no tensors) is "not captured", where no other sample of the
entry is compiled; "no error" is a call that eager PyTorch refuses and the compiled one does not.
"""

SAMPLES = """Compiled means: results, or gradients, agree with eager PyTorch by its own tolerances, or have a root mean square error
against f64 of at most 1.1 of its own. Where PyTorch's capture, run without TC, has other results or strides than eager
PyTorch, those are what TC's are compared with: "as captured". Of random numbers and unspecified elements only types,
sizes and strides are compared: "form". Rows "strided-" have operands that are not contiguous.
"""
