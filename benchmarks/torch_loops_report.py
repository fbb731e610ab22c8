"""The table of torch_loops.py."""

from torch_compile_report import INDUCTOR, TC, best_of, by_row, cell_of_first, cells_of_times, heading, line_of, mean_of, seconds_of

EXPLANATION = (
    "Milliseconds of wall time of a step, medians of as many rounds as the row says, in which all alternate in one process; "
    "of Inductor and of TC the faster mode, which is named. Ratios are those of a round, above 1 where TC is faster. First "
    "calls are seconds of the first call of all that a row compiles, of mode default where there are several, with empty "
    "caches on disk. Results are those of {steps} steps of a row, behind those of the rows above it that share its model: the "
    "loss and the change of the parameters since the start, or what the models give. Their distance from eager's is in root "
    "mean square, relative to the same in f64; in brackets the error against f64, in errors of eager's. TC's may be at most "
    "{limit} of these, but that of a loss, one number, whose distance has to be small.")
HEADER = ("| row | rounds | eager | Inductor | TC | Inductor / TC | eager / TC | first: Inductor | TC | Inductor / TC "
          "| results: Inductor | TC |")


def results_of(one):
    """How the results of a rival agree, as a cell."""
    if "disagrees" in one:
        return f"DISAGREE: {one['disagrees']}"
    texts = [f"{name} {value['from_eager']:.1e} ({_ratio(value)})" for name, value in one.get("agreement", {}).items()]
    if "refused" in one:
        texts.append(f"PyTorch runs {', '.join(one['refused'])}")
    return ", ".join(texts) or "-"


def _ratio(value):
    return f"{value['error'] / value['error_of_eager']:.2f}" if value["error_of_eager"] else "-"


def _first_of(row, names):
    """The entry of the first of some rivals that a row has, or {}."""
    return next((row[name] for name in names if name in row), {})


def _compared(row, names):
    """The entry of some rivals whose results are told: one that disagrees, else the fastest."""
    return next((row[name] for name in names if "disagrees" in row.get(name, {})), best_of(row, names))


def _row(name, row, ratios):
    first, other = _first_of(row, TC), _first_of(row, INDUCTOR)
    name_cell, *times = cells_of_times(name, row, ratios)
    rounds = max((one.get("iterations", 0) for one in row.values()), default=0)
    return line_of([name_cell, str(rounds), *times] + [
        seconds_of(other), seconds_of(first), cell_of_first(other, first, ratios["first"]),
        results_of(_compared(row, INDUCTOR)), results_of(_compared(row, TC))])


def markdown(results, row_order, steps, limit):
    table, ratios = by_row(results), {"Inductor": [], "eager": [], "first": []}
    lines = heading(results, "Training loops, and two models on two streams, with torch.compile")
    lines += [EXPLANATION.format(steps=steps, limit=limit), "", HEADER, "|---" * 12 + "|"]
    lines += [_row(name, table[name], ratios) for name in sorted(table, key=row_order.index)]
    means = {name: mean_of(values) for name, values in ratios.items()}
    lines.append(f"| geometric mean | | | | | {means['Inductor']} | {means['eager']} | | | {means['first']} | | |")
    return "\n".join(lines) + "\n"
