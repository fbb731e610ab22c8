"""The results of a run on a CUDA device: a JSON file and a table."""

import datetime
import json
import os
import platform
import statistics

import torch

from gpu_measure import CACHES
from report import percentile

NANO = 1e9


def context(options, command, versions):
    device = torch.cuda.get_device_properties(0)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "executable": command,
        "gpu": device.name,
        "multiprocessors": device.multi_processor_count,
        "l2_bytes": device.L2_cache_size,
        "cuda": torch.version.cuda,
        "system": platform.platform(),
        "cache": options.cache,
        "rounds": options.rounds,
        "versions": versions,
    }


def _cache_of(about):
    """The `--cache` of a table; one without it is from before there was a choice."""
    return about.get("cache", "cold")


def other_table(options):
    """Why rows that are measured now are none of the table in the files, or an empty text."""
    path = options.out + ".json"
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        about = json.load(file)["context"]
    for what, old, new in (("the cache was", _cache_of(about), options.cache),
                           ("the device was", about.get("gpu", "not named"), torch.cuda.get_device_name())):
        if old != new:
            return f"in {path} {what} {old}, expected {new} as now; choose another --out"
    return ""


def _paired(numerators, denominators):
    """Median, 10th and 90th percentile of the ratios of each round."""
    ratios = [one / other for one, other in zip(numerators, denominators)]
    return {"median": statistics.median(ratios), "p10": percentile(ratios, 0.1), "p90": percentile(ratios, 0.9)}


def entry(row_name, row, rival, single, warm, extra):
    """One rival's figures of one row. Ratios are paired round by round: of the
    floor's time to this one's, of this one's to TC's."""
    mine = single[rival]
    result = {"name": f"{row_name}/{rival}", "run_name": row_name, "rival": rival, "run_type": "aggregate",
              "aggregate_name": "median", "iterations": len(mine), "time_unit": "ns",
              "real_time": statistics.median(mine) * NANO, "p10": percentile(mine, 0.1) * NANO,
              "p90": percentile(mine, 0.9) * NANO}
    if warm[rival]:
        result["warm_time"] = statistics.median(warm[rival]) * NANO
    if row.bytes:
        result["bytes_per_second"] = row.bytes / statistics.median(mine)
    if row.flops:
        result["flops_per_second"] = row.flops / statistics.median(mine)
    if "floor" in single and rival != "floor":
        result["of_floor"] = _paired(single["floor"], mine)
    if "tc" in single and rival not in ("tc", "floor", "copy"):
        result["ratio"] = _paired(mine, single["tc"])
        if warm[rival]:
            result["warm_ratio"] = _paired(warm[rival], warm["tc"])
    return result | extra


def missing(row_name, rival, reason):
    return {"name": f"{row_name}/{rival}", "run_name": row_name, "rival": rival, "error_occurred": True,
            "error_message": reason}


def by_row(results):
    table = {}
    for one in results["benchmarks"]:
        table.setdefault(one["run_name"], {})[one["rival"]] = one
    return table


def best_of(row, rivals):
    """The entry of the fastest of `rivals` that agrees, or {}."""
    times = [row[name] for name in rivals if "real_time" in row.get(name, {}) and "disagrees" not in row[name]]
    return min(times, key=lambda one: one["real_time"], default={})


def _time(one, key="real_time"):
    if key not in one:
        return "-"
    return f"{one[key] / 1e6:.4g}" + (" wrong" if "disagrees" in one else "")


def _rate(one):
    if "bytes_per_second" in one:
        return f"{one['bytes_per_second'] / 1e12:.2f} TB/s"
    return f"{one['flops_per_second'] / 1e12:.0f} TFLOP/s" if "flops_per_second" in one else "-"


def _ratio(one, key):
    return f"{one[key]['median']:.3f}" if key in one else "-"


def summary(entries):
    """One row as lines of text."""
    lines = []
    row = {one["rival"]: one for one in entries}
    for name, one in row.items():
        if "real_time" not in one:
            lines.append(f"    {name:16} {one['error_message']}")
            continue
        text = f"    {name:16} {one['real_time'] / 1e3:10.2f} us"
        text += f" cold {one['warm_time'] / 1e3:10.2f} us warm" if "warm_time" in one else ""
        text += f"  {_rate(one):>12}"
        for key, label in (("of_floor", "of the floor"), ("ratio", "of TC's time")):
            text += f"  {_ratio(one, key)} {label}" if key in one else ""
        if "largest_error" in one:
            text += f"  error {one['largest_error']:.3g}"
        lines.append(text + (f"  DISAGREES: {one['disagrees']}" if "disagrees" in one else ""))
    return "\n".join(lines)


def _geometric_mean(values):
    return f"{statistics.geometric_mean(values):.2f}" if values else "-"


def markdown(results, row_order, rivals):
    about, table = results["context"], by_row(results)
    rivals = [name for name in rivals if any("real_time" in row.get(name, {}) for row in table.values())]
    lines = [
        "# CUDA benchmarks", "",
        f"{about['gpu']}, CUDA {about['cuda']}, {about['date']}; "
        + ", ".join(f"{name} {version}" for name, version in about["versions"].items()) + ".",
        f"Command, the last of those that made the table in parts: `{about['executable']}`.", "",
        "Milliseconds on the device, medians of interleaved rounds in one process a row: single calls "
        f"{CACHES[_cache_of(about)]}. The floor is the fastest of some kernels with the row's reads and writes and no "
        "arithmetic, in the same rounds. In brackets: the rival's time divided by TC's, round by round, above 1 where TC is "
        "faster. Warm is the wall time of a call among calls that do not wait, as graphs in mode reduce-overhead. The error is the largest difference of TC from "
        "f64, next to eager's.", "",
        "| row | floor | TC | rate | of floor | symbolic of floor | error, eager's | warm TC | warm TC as graphs | best torch.compile warm | "
        + " | ".join(rivals) + " |",
        "|---|" + "---|" * (9 + len(rivals))]
    ratios = {name: [] for name in rivals}
    for name in sorted(table, key=row_order.index):
        row = table[name]
        tc, eager = row.get("tc", {}), row.get("eager", {})
        errors = [f"{one['largest_error']:.2g}" if "largest_error" in one else "-" for one in (tc, eager)]
        warm = min((row[one]["warm_time"] for one in ("default", "reduce-overhead", "max-autotune")
                    if "warm_time" in row.get(one, {})), default=None)
        cells = [name, _time(row.get("floor", {})), _time(tc) if tc.get("real_time") else tc.get("error_message", "-"),
                 _rate(tc), _ratio(tc, "of_floor"), _ratio(row.get("tc-symbolic", {}), "of_floor"), ", ".join(errors),
                 _time(tc, "warm_time"), _time(row.get("tc-graphs", {}), "warm_time"), f"{warm / 1e6:.4g}" if warm else "-"]
        for rival in rivals:
            one = row.get(rival, {})
            if "ratio" in one:
                ratios[rival].append(one["ratio"]["median"])
                cells.append(f"{_time(one)} ({one['ratio']['median']:.2f})")
            else:
                cells.append(_time(one))
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    lines.append("| geometric mean |" + " |" * 9 + " " + " | ".join(_geometric_mean(ratios[name]) for name in rivals) + " |")
    return "\n".join(lines) + "\n"


def write(results, prefix, row_order, rivals):
    """Both files; each is replaced whole, so that an interrupted run leaves the last."""
    os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
    for ending, text in ((".json", json.dumps(results, indent=1) + "\n"), (".md", markdown(results, row_order, rivals))):
        with open(prefix + ending + ".new", "w") as file:
            file.write(text)
        os.replace(prefix + ending + ".new", prefix + ending)
