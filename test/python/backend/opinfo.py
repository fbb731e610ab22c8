#!/usr/bin/env python3
"""Runs PyTorch's table of operators through the backend of torch.compile and writes what became of each entry.

usage: opinfo.py [--jobs=N] [--samples=N] [--capture=aot|dynamo] [--part=I/N] [--output=FILE.json] [--merge=FILE.json]
                 [--missing] [--table=FILE.md] [--rows=NAME,...] [--device=cpu|cuda] [--seconds=N] [--own] [ENTRY...]

Every fifth entry is left out; --own runs those instead, with samples of our own (own_samples.py). For each other entry and row (an element type, its gradients,
operands that are not contiguous, errors: rows_of() in opinfo_worker.py) all samples are
compiled without fallback and judged (opinfo_check.py). Rows are written as they end, so
that a run that is stopped loses those alone that it had begun; --missing goes on with it. The
order of entries is one of chance, the same in every run, so that those of a part of the time are of all kinds.
"""

import argparse
import json
import queue
import select
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

from opinfo_table import COMPILED, WORST_FIRST, table, totals

HERE = Path(__file__).resolve().parent
WORKER = HERE / "opinfo_worker.py"


class Worker:
    """A process that runs entries; started again where it ends."""

    def __init__(self, arguments, limit):
        self.arguments, self.limit, self.process = arguments, limit, None

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(WORKER), *self.arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors = []
        threading.Thread(target=lambda pipe, lines: lines.extend(pipe), args=(self.process.stderr, self.errors),
                         daemon=True).start()
        self.buffer = b""

    def line(self):
        """The next line, "" where the process ended, None where it said nothing for too long."""
        deadline = time.monotonic() + self.limit
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            chunk = self.process.stdout.read1(65536)
            if not chunk:
                return ""
            self.buffer += chunk
        text, self.buffer = self.buffer.split(b"\n", 1)
        return text.decode(errors="replace")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def run(self, name, row):
        """The samples of an entry: (index, outcome, text)."""
        samples, first, begun = [], 0, 0
        while True:
            if self.process is None:
                self.start()
            self.process.stdin.write(f"{name} {row} {first}\n".encode())
            self.process.stdin.flush()
            while (text := self.line()):
                if not text.startswith("{"):
                    continue
                line = json.loads(text)
                if "ends" in line:
                    return samples
                if "starts" in line:
                    begun = line["starts"]
                else:
                    samples.append((line["sample"], line["outcome"], line["text"]))
            if text is None:
                samples.append((begun, "too slow", f"no answer in {self.limit} s"))
            else:
                self.process.wait()
                samples.append((begun, "crash", f"exit status {self.process.returncode}: "
                                + b"".join(self.errors)[-600:].decode(errors="replace")))
            self.stop()
            if len([1 for _, outcome, _ in samples if outcome in ("crash", "too slow")]) > 5:
                return samples
            first = begun + 1


def row_of(samples):
    """The worst outcome, its text, and how many samples have each."""
    counts = {}
    for _, outcome, _ in samples:
        counts[outcome] = counts.get(outcome, 0) + 1
    worst = next((outcome for outcome in (*WORST_FIRST, *COMPILED[::-1]) if outcome in counts), "refused by PyTorch")
    if worst == "not captured" and any(counts.get(outcome) for outcome in COMPILED):
        worst = next(outcome for outcome in COMPILED[::-1] if outcome in counts)
    text = next((text for _, outcome, text in samples if outcome == worst), "")
    index = next((index for index, outcome, _ in samples if outcome == worst), 0)
    return {"outcome": worst, "counts": counts, "sample": index, "text": text}


def tasks(options):
    sys.path.insert(0, str(HERE))
    import opinfo_worker
    for name, op in opinfo_worker.entries(options.own).items():
        if options.entries and not any(name == one or name.startswith(one + "/") for one in options.entries):
            continue
        part, parts = map(int, options.part.split("/"))
        if zlib.crc32(("part/" + name).encode()) % parts != part:
            continue
        for row in opinfo_worker.rows_of(op, options.device):
            if not options.rows or row in options.rows.split(","):
                yield name, row


def write(rows, options):
    """Whole or not at all, as the run may be stopped at any time."""
    path = Path(options.output)
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(rows, indent=1, sort_keys=True))
    beside.replace(path)


def run_all(options):
    waiting, lock = queue.Queue(), threading.Lock()
    rows = json.loads(Path(options.merge).read_text()) if options.merge else {}
    for name, kind in sorted(tasks(options), key=lambda task: zlib.crc32(task[0].encode())):
        if not (options.missing and kind in rows.get(name, {})):
            waiting.put((name, kind))
    total, deadline, written = waiting.qsize(), time.monotonic() + options.seconds, time.monotonic()

    def serve():
        nonlocal written
        worker = Worker([f"--samples={options.samples}", f"--capture={options.capture}", f"--device={options.device}",
                         *(["--own"] if options.own else [])], options.limit)
        while True:
            try:
                if time.monotonic() > deadline:
                    raise queue.Empty
                name, kind = waiting.get_nowait()
            except queue.Empty:
                worker.stop()
                return
            began = time.monotonic()
            row = row_of(worker.run(name, kind))
            row["seconds"] = round(time.monotonic() - began, 2)
            with lock:
                rows.setdefault(name, {})[kind] = row
                if row["outcome"] not in (*COMPILED, "refused by PyTorch"):
                    print(f"{name} {kind} sample {row['sample']}: {row['outcome']}: {row['text'][:300]}", flush=True)
                if options.output and time.monotonic() - written > 5:
                    write(rows, options)
                    written = time.monotonic()

    threads = [threading.Thread(target=serve) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{total - waiting.qsize()} of {total} rows", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--capture", default="aot", choices=("aot", "dynamo"))
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--rows", default="", help="element types, grad-, strided- and one, errors; default all")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no row is begun")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--output")
    parser.add_argument("--merge", help="rows of an earlier run, of which this one replaces those that it runs")
    parser.add_argument("--missing", action="store_true", help="run no row that --merge has")
    parser.add_argument("--table")
    parser.add_argument("--own", action="store_true", help="the entries that are left out, with samples of our own")
    parser.add_argument("entries", nargs="*")
    options = parser.parse_args()
    rows = run_all(options)
    if options.output:
        write(rows, options)
    print(totals(rows))
    if options.table:
        Path(options.table).write_text(table(rows))


if __name__ == "__main__":
    main()
