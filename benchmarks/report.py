"""The results of a run: a JSON file in google-benchmark's form, and a table."""

import datetime
import json
import os
import platform
import statistics



def processor():
    """The name of the CPU."""
    return next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())


def context(options, command, versions):
    flags = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "").split()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "executable": command,
        "num_cpus": os.cpu_count(),
        "cpu": processor(),
        "vector_extensions": [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_tile") if flag in flags],
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "threads": options.threads,
        "rounds": options.rounds,
        "versions": versions,
    }


def percentile(values, fraction):
    return sorted(values)[round(fraction * (len(values) - 1))]


def entry(row, rival, seconds, base, threads, extra):
    """One rival's figures for one row; ratios are its time to TC's, round by round."""
    result = {"name": f"{row}/{rival}", "run_name": row, "rival": rival, "run_type": "aggregate",
              "aggregate_name": "median", "threads": threads, "iterations": len(seconds), "time_unit": "ns",
              "real_time": statistics.median(seconds) * 1e9, "cpu_time": statistics.median(seconds) * 1e9,
              "p10": percentile(seconds, 0.1) * 1e9, "p90": percentile(seconds, 0.9) * 1e9}
    if base and rival != "tc":
        ratios = [one / tc for one, tc in zip(seconds, base)]
        result["ratio"] = statistics.median(ratios)
        result["ratio_p10"], result["ratio_p90"] = percentile(ratios, 0.1), percentile(ratios, 0.9)
    return result | extra


def missing(row, rival, reason):
    return {"name": f"{row}/{rival}", "run_name": row, "rival": rival, "error_occurred": True,
            "error_message": reason}


def merge(path, new):
    """Adds the rows of an earlier part of the table; rows of `new` take precedence."""
    if not os.path.exists(path):
        return new
    with open(path) as file:
        old = json.load(file)
    rows = {one["run_name"] for one in new["benchmarks"]}
    new["context"]["versions"] = old["context"]["versions"] | new["context"]["versions"]
    new["benchmarks"] = [one for one in old["benchmarks"] if one["run_name"] not in rows] + new["benchmarks"]
    return new


def _milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.3g}" if nanoseconds < 1e9 else f"{nanoseconds / 1e6:.0f}"


def markdown(results, row_order):
    about, table = results["context"], {}
    for one in results["benchmarks"]:
        table.setdefault(one["run_name"], {})[one["rival"]] = one
    rivals = [name for name in ("eager", "torch.compile", "jax", "onnxruntime")
              if any(name in row for row in table.values())]
    lines = [
        "# CPU benchmarks", "",
        f"{about['cpu']} ({', '.join(about['vector_extensions'])}), {about['threads']} threads, {about['date']}; "
        + ", ".join(f"{name} {version}" for name, version in about["versions"].items()) + ".",
        f"Command, the last of those that made the table in parts: `{about['executable']}`.", "",
        f"Milliseconds, medians of as many interleaved rounds as the row says. In brackets: the rival's time divided by TC's, "
        "above 1 where TC is faster. The floor is the row's compulsory traffic or arithmetic at the rates of a copy and "
        "of f32 multiply-adds in the same rounds; bf16 dot instructions can go below it.", "",
        "| row | rounds | floor | TC | floor / TC | kernels | " + " | ".join(rivals) + " |",
        "|---|" + "---|" * (5 + len(rivals))]
    ratios = {name: [] for name in rivals}
    for name in sorted(table, key=row_order.index):
        row, tc = table[name], table[name].get("tc", {})
        floor = tc.get("floor")
        time = _milliseconds(tc["real_time"]) if "real_time" in tc else tc.get("error_message", "-")
        rounds = max((one.get("iterations", 0) for one in row.values()), default=0)
        cells = [name, str(rounds), _milliseconds(floor) if floor else "-", time,
                 f"{floor / tc['real_time']:.2f}" if floor and "real_time" in tc else "-", str(tc.get("kernels", "-"))]
        for rival in rivals:
            one = row.get(rival, {})
            if "ratio" in one:
                ratios[rival].append(one["ratio"])
                cells.append(f"{_milliseconds(one['real_time'])} ({one['ratio']:.2f})")
            else:
                cells.append(_milliseconds(one["real_time"]) if "real_time" in one else "-")
        lines.append("| " + " | ".join(cells) + " |")
    means = [f"{statistics.geometric_mean(ratios[name]):.2f}" if ratios[name] else "-" for name in rivals]
    lines.append("| geometric mean | | | | | | " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


def write(results, prefix, row_order):
    os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
    with open(prefix + ".json", "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    with open(prefix + ".md", "w") as file:
        file.write(markdown(results, row_order))
