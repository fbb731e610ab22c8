"""The table of what became of the entries of PyTorch's table of operators."""

from collections import Counter

COMPLEX = ("c32", "c64", "c128")
GOOD = ("compiled", "refused by PyTorch")


def kind_of(dtype):
    if dtype == "errors":
        return "errors"
    if dtype.startswith("grad-"):
        return "gradients"
    return "complex" if dtype in COMPLEX else "real"


def outcome_of(rows, kinds):
    """The worst outcome of an entry's rows of some kinds; None where it has none."""
    outcomes = {row["outcome"] for dtype, row in rows.items() if kind_of(dtype) in kinds}
    for outcome in ("crash", "differs", "error", "no error", "too slow", "falls back", "not captured", "compiled"):
        if outcome in outcomes:
            return outcome
    return None


def totals(rows):
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    for title, kinds in (("real element types", {"real"}), ("with complex", {"real", "complex"}),
                         ("gradients", {"gradients"}), ("calls that PyTorch refuses", {"errors"})):
        counts = Counter(outcome_of(entry, kinds) for entry in rows.values())
        counts.pop(None, None)
        total = sum(counts.values())
        has_complex = any(kind_of(dtype) == "complex" for entry in rows.values() for dtype in entry)
        if total and (has_complex or "complex" not in kinds):
            cells = [str(total)] + [f"{counts[one]} ({100 * counts[one] / total:.1f}%)" if one == "compiled"
                                    else str(counts[one]) for one in COLUMNS[1:]]
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


COLUMNS = ("entries", "compiled", "falls back", "not captured", "differs", "error", "no error", "too slow", "crash")


def coverage(rows):
    """How much was run: samples of each element type."""
    counts = Counter()
    for entry in rows.values():
        for dtype, row in entry.items():
            counts[dtype] += sum(row["counts"].values()) - row["counts"].get("refused by PyTorch", 0)
    return ("Samples that were run: " + ", ".join(f"{count} of {dtype}" for dtype, count in sorted(counts.items()))
            + ". Element types that are not listed were not run.\n")


def table(rows):
    reasons = []
    for name in sorted(rows):
        wrong = {}
        for dtype, row in rows[name].items():
            if row["outcome"] not in GOOD:
                text = " ".join(row["text"].split())[:160].replace("|", "\\|")
                wrong.setdefault((row["outcome"], text), []).append(dtype)
        good = [dtype for dtype, row in rows[name].items() if row["outcome"] == "compiled"]
        reasons.append(f"| `{name}` | {' '.join(good)} | " + "<br>".join(
            f"{outcome} ({' '.join(dtypes)}): {text}" for (outcome, text), dtypes in wrong.items()) + " |")
    return (HEAD + "\n## Totals\n\n" + totals(rows) + "\n" + coverage(rows) + "\n## Entries\n\n| entry | compiled | else |\n|---|---|---|\n"
            + "\n".join(reasons) + "\n")


HEAD = """# PyTorch's table of operators through torch.compile

<!-- Written by test/python/backend/opinfo.py; run it again instead of editing. -->

Each entry of `torch.testing._internal.common_methods_invocations.op_db`, but for every fifth, is compiled by the
backend with no fallback, in the samples and element types that are counted below, and compared with eager PyTorch:
values, element types, sizes and strides. An entry is in the column of its worst sample. What PyTorch itself does not
capture (sizes that depend on data, results that are no tensors) is "not captured", where no other sample of the
entry is compiled; "no error" is a call that eager
PyTorch refuses and the compiled one does not.
"""
