"""The results of torch_compile.py, and what other tables of torch.compile share with it: a JSON file in google-benchmark's
form, and tables."""

import datetime
import json
import os
import statistics

import torch

from report import percentile, processor

# By their modes; a row of several functions may have a mode for each.
TC = ("tc", "tc reduce-overhead", "tc a mode each")
INDUCTOR = ("default", "reduce-overhead", "max-autotune", "a mode each")


def context(options, command, versions):
    device = torch.cuda.get_device_name() if options.device == "cuda" else processor()
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "executable": command,
            "device": device, "num_cpus": os.cpu_count(), "threads": options.threads, "rounds": options.rounds, "versions": versions}


def entry(row, rival, seconds, extra):
    """One rival's figures of one row. The ratio is its time to that of the faster mode of TC, round by round."""
    result = {"name": f"{row}/{rival}", "run_name": row, "rival": rival, "run_type": "aggregate", "aggregate_name": "median",
              "time_unit": "ns"} | extra
    mine = seconds.get(rival)
    if mine:
        result |= {"iterations": len(mine), "real_time": statistics.median(mine) * 1e9, "p10": percentile(mine, 0.1) * 1e9,
                   "p90": percentile(mine, 0.9) * 1e9}
        own = min((seconds[name] for name in TC if name in seconds), key=statistics.median, default=None)
        if own and rival not in TC:
            result["ratio"] = statistics.median(one / other for one, other in zip(mine, own))
    return result


def best_of(row, names):
    """The entry of the fastest of some rivals, or {}."""
    return min((row[name] for name in names if "real_time" in row.get(name, {})), key=lambda one: one["real_time"], default={})


def time_of(one):
    return f"{one['real_time'] / 1e6:.4g}" if "real_time" in one else "-"


def seconds_of(one, key="first_seconds"):
    return f"{one[key]:.3g}" if key in one else "-"


def _mebibytes(one):
    return f"{one['peak_bytes'] / 2**20:.0f}" if "peak_bytes" in one else "-"


def summary(title, entries):
    """One row as lines of text."""
    lines = [title]
    for one in entries:
        text = f"    {one['rival']:20} {one.get('error_message') or time_of(one) + ' ms'}  first {seconds_of(one)} s"
        text += f"  {_mebibytes(one)} MiB" if "peak_bytes" in one else ""
        text += f"  {one['ratio']:.3f} of TC's time" if "ratio" in one else ""
        lines.append(text + (f"  DISAGREES: {one['disagrees']}" if "disagrees" in one else ""))
    return "\n".join(lines)


def cells_of_times(name, row, ratios):
    """The first cells of a row: its name, times and ratios, which are added to those of the table, {rival: [ratio]}."""
    eager, own, rival = row.get("eager", {}), best_of(row, TC), best_of(row, INDUCTOR)
    time = time_of(own) if own else next((row[one]["error_message"] for one in TC if "error_message" in row.get(one, {})), "-")
    for key, one in (("Inductor", rival), ("eager", eager)):
        if "ratio" in one:
            ratios[key].append(one["ratio"])
    return [name, time_of(eager), f"{time_of(rival)} ({rival.get('rival', '-')})", f"{time} ({own.get('rival', '-')})",
            f"{rival['ratio']:.2f}" if "ratio" in rival else "-", f"{eager['ratio']:.2f}" if "ratio" in eager else "-"]


def cell_of_first(other, own, ratios, key="first_seconds"):
    """How many times the seconds of TC's first call another one takes, added to those of the table."""
    if key not in other or key not in own:
        return "-"
    ratios.append(other[key] / own[key])
    return f"{ratios[-1]:.1f}"


def line_of(cells):
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _row(name, row, ratios):
    times, first, other = cells_of_times(name, row, ratios), row.get("tc", {}), row.get("default", {})
    wrong = next((one["disagrees"] for one in (row.get(name, {}) for name in TC) if "disagrees" in one), "")
    memory = [row.get("eager", {}), best_of(row, INDUCTOR), best_of(row, TC)]
    return line_of(times + [
        seconds_of(other), seconds_of(first), seconds_of(row.get("aot_eager", {})), cell_of_first(other, first, ratios["first"]),
        seconds_of(other, "compiler_seconds"), seconds_of(first, "compiler_seconds"),
        cell_of_first(other, first, ratios["compiler"], "compiler_seconds"), ", ".join(map(_mebibytes, memory)), wrong or "agrees"])


def by_row(results):
    """{row: {rival: entry}}."""
    table = {}
    for one in results["benchmarks"]:
        table.setdefault(one["run_name"], {})[one["rival"]] = one
    return table


def heading(results, title):
    """The first lines of a page: what was measured where, when and how."""
    about = results["context"]
    return [f"# {title}", "",
            f"{about['device']}, {about['threads']} threads of the CPU, {about['date']}; "
            + ", ".join(f"{name} {version}" for name, version in about["versions"].items()) + ".",
            f"Command, the last of those that made the tables in parts: `{about['executable']}`.", ""]


def mean_of(ratios):
    """The geometric mean, as a cell."""
    return f"{statistics.geometric_mean(ratios):.2f}" if ratios else "-"


def markdown(results, row_order):
    table = by_row(results)
    lines = heading(results, "torch.compile with TC and with Inductor") + [
        f"Milliseconds of wall time of a call, medians of {results['context']['rounds']} rounds in which all alternate in one process; of Inductor and of TC the "
        "faster mode, which is named. Ratios are those of a round, above 1 where TC is faster. First calls are seconds from `torch.compile` to "
        "the first result, with empty caches on disk; \"capture\" is that of `aot_eager`, which compiles nothing. \"Compiler\" is what is left of "
        "a first call without PyTorch's tracing, autograd and partition, by its own counters: the compiler, the assembler and the first run. Memory is in MiB, of eager, "
        "Inductor and TC: what a call allocates at its peak. A row agrees where each result or gradient is close to eager's, or its root mean square error "
        "against f64 at most 1.1 times eager's."]
    for way in ("inference", "training"):
        names = sorted((name for name in table if name.endswith(way)), key=row_order.index)
        if not names:
            continue
        ratios = {"Inductor": [], "eager": [], "first": [], "compiler": []}
        lines += ["", f"## {way.capitalize()}", "",
                  "| row | eager | Inductor | TC | Inductor / TC | eager / TC | first: Inductor | TC | capture | Inductor / TC "
                  "| compiler: Inductor | TC | Inductor / TC | memory | results |",
                  "|---" * 15 + "|"]
        lines += [_row(name.removesuffix(f", {way}"), table[name], ratios) for name in names]
        means = {name: mean_of(values) for name, values in ratios.items()}
        lines.append(f"| geometric mean | | | | {means['Inductor']} | {means['eager']} | | | | {means['first']} | | | {means['compiler']} | | |")
    return "\n".join(lines) + "\n"


def write(results, prefix, page):
    """Both files, with `page` as the tables; each is replaced whole, so that an interrupted run leaves the last."""
    os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
    for ending, text in ((".json", json.dumps(results, indent=1) + "\n"), (".md", page)):
        with open(prefix + ending + ".new", "w") as file:
            file.write(text)
        os.replace(prefix + ending + ".new", prefix + ending)
