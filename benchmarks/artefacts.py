#!/usr/bin/env python3
"""Measures artefacts: bytes, and how long a process with libTCRuntime alone takes to the first result.

GPT-2 small with its real sizes and random weights, one CPU target; the files are in the page cache. Then
what a second process takes to compile a transformer block that the cache on disk has. Medians of
processes. Writes PREFIX.md.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))
PROGRAM = BUILD / "benchmarks/artefact_first_result"

TEXT = """Milliseconds, medians of {repeats} processes, weights in the page cache. Load: to code and mapped weights. First: from the start of
main() to the first result, load among it. Again: the second call. The process links libTCRuntime alone.
Prepared: whether the values that are computed from the weights come from a file (tc-compile --prepared)."""

# A process that exports a transformer block, and one that compiles it and prints how long that takes.
BLOCK = """
import torch

torch.manual_seed(0)
block = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, activation="gelu").eval()
with torch.no_grad():
    program = torch.export.export(block, (torch.zeros(8, 128, 512),))
    torch.export.save(program, {path!r})
"""
WARM = """
import time
import numpy
import tc

x = numpy.zeros((8, 128, 512), numpy.float32)
tc.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ return %x : tensor<4xf32> }}")
start = time.perf_counter()
compiled = tc.compile({path!r}, threads=2)
end = time.perf_counter()
compiled(x)
print(f"compile {{(end - start) * 1e3:.3f}} first {{(time.perf_counter() - start) * 1e3:.3f}}")
"""


def export_gpt2(path, dtype, tokens):
    import torch
    import transformers

    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False)).eval().to(dtype)

    class Logits(torch.nn.Module):
        def forward(self, ids):
            return model(input_ids=ids).logits

    wrapped = Logits()
    wrapped.model = model
    with torch.no_grad():
        torch.export.save(torch.export.export(wrapped, (torch.zeros(1, tokens, dtype=torch.int64),)), path)


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          env={**os.environ, **environment}).stdout


def medians(output_of, repeats):
    found = [dict(re.findall(r"(\w+) ([\d.]+)", output_of())) for _ in range(repeats)]
    return {name: statistics.median(float(one[name]) for one in found) for name in found[0]}


def make_bare_root(root):
    """A folder with a program that runs artefacts, and the libraries that it links, as /: glibc, libstdc++ and libTCRuntime."""
    shutil.copy(PROGRAM, root / "program")
    for path in re.findall(r"(/\S+) \(0x", run("ldd", PROGRAM)):
        # The loader at its own place, which the program names.
        place = root / path[1:] if "/ld-linux" in path else root / "lib" / Path(path).name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)


def gpt2_rows(folder, repeats, under, is_bare):
    import torch

    command = [*under, PROGRAM, folder / "gpt2.tca"]
    if is_bare:  # which sees no /proc, no /sys, and no variables but the libraries' folder
        make_bare_root(folder)
        command = [*under, "env", "-i", "LD_LIBRARY_PATH=/lib", shutil.which("chroot"), folder, "/program", "/gpt2.tca"]
    for dtype, tokens in ((torch.float32, 1), (torch.float32, 16), (torch.bfloat16, 1), (torch.bfloat16, 16)):
        path = folder / "gpt2.pt2"
        export_gpt2(path, dtype, tokens)
        for prepared in (False, True):
            artefact = folder / "gpt2.tca"
            run(BUILD / "bin/tc-compile", path, "-o", artefact, *([f"--prepared={folder}/gpt2.prepared"] if prepared else []))
            times = medians(lambda: run(*command), repeats)
            yield (f"GPT-2 small, {str(dtype).removeprefix('torch.')}, {tokens} token{'s' * (tokens > 1)}", "yes" if prepared else "no",
                   artefact.stat().st_size, times)


def warm_row(folder, repeats, under):
    path = str(folder / "block.pt2")
    environment = {"PYTHONPATH": str(BUILD / "python"), "TC_CACHE_DIR": str(folder / "cache")}
    run(sys.executable, "-c", BLOCK.format(path=path), **environment)
    command = (*under, sys.executable, "-c", WARM.format(path=path))
    cold = medians(lambda: run(*command, **{**environment, "TC_CACHE_DIR": ""}), 3)
    run(*command, **environment)
    return cold, medians(lambda: run(*command, **environment), repeats)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefix", type=Path, help="results are written to PREFIX.md")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--under", default="", metavar="COMMAND",
                        help="command that starts what is measured: 'chrt -f 20' where others use the machine")
    parser.add_argument("--bare", action="store_true",
                        help="run artefacts by chroot in a folder of glibc, libstdc++ and libTCRuntime alone, as root")
    options = parser.parse_args()
    under = options.under.split()
    loads = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as name:
        rows = list(gpt2_rows(Path(name), options.repeats, under, options.bare))
        loads.append(os.getloadavg()[0])
        cold, warm = warm_row(Path(name), options.repeats, under)
    loads.append(os.getloadavg()[0])
    lines = ["# Artefacts and warm starts", "", TEXT.format(repeats=options.repeats), "",
             f"Load averages of a minute at the begin, between the tables and at the end: {', '.join(f'{one:.1f}' for one in loads)}, on "
             f"{os.cpu_count()} cores" + (f"; what is measured ran under `{options.under}`." if under else ".")
             + (" The processes of the first table see a folder of glibc, libstdc++ and libTCRuntime alone." if options.bare else ""), "",
             "| program | prepared | bytes of the artefact | load | first | again |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    for label, prepared, size, times in rows:
        lines.append(f"| {label} | {prepared} | {size} | {times['load']:.1f} | {times['first']:.1f} | {times['again']:.1f} |")
    lines += ["", "`tc.compile` of a transformer block, d512, 8 heads, f32, exported to a .pt2 file, in a process that has compiled "
              "another program before, with the packing of its weights:", "",
              "| cache | compile | first result |", "| --- | ---: | ---: |",
              f"| none | {cold['compile']:.1f} | {cold['first']:.1f} |",
              f"| on disk, warm | {warm['compile']:.1f} | {warm['first']:.1f} |", ""]
    Path(f"{options.prefix}.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
