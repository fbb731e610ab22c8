"""Runs modules as AArch64 code in an emulator, and compares what comes out with the
reference interpreter.

run_modules.py DRIVER FOLDER MODULE.mlir[:SYMBOL=SIZE][:--OPTION]... - options are those
of tc-run for the comparison.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TARGETS = ("cpu:aarch64:generic", "cpu:aarch64:neoverse-v1")
EMULATOR = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
LINKER = "aarch64-linux-gnu-g++"
THREADS = (1, 3)


def run(*command, cwd=None):
    finished = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if finished.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexits with {finished.returncode}\n{finished.stdout}{finished.stderr}")
    return finished.stdout


def split_top(text):
    """Splits at the commas outside all brackets."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        if letter in "<([{":
            depth += 1
        elif letter in ">)]}" and text[index - 1] != "-":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def closing(text, start):
    """The position after the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    sys.exit("a function's signature has no end")


def functions(text):
    """(name, argument types, result count, symbols) of each public function."""
    for found in re.finditer(r"^ *func\.func @(\w+)\(", text, re.MULTILINE):
        end = closing(text, found.end() - 1)
        arguments = [re.match(r"%\w+: (\S+<.*>|\S+)", argument)[1].split(" {")[0]
                     for argument in split_top(text[found.end():end - 1])]
        line = text[end:text.index("\n", end)]
        results = line.split("->", 1)[1].strip() if "->" in line else "()"
        results = results[1:closing(results, 0) - 1] if results.startswith("(") else results.split(" attributes")[0].rstrip(" {")
        symbols = re.search(r"tc\.symbols = \[.*?>\]", line)
        yield found[1], arguments, len(split_top(results)), symbols[0] if symbols else ""


def make_inputs(name, types, symbols, sizes, folder):
    """Files of made-up inputs: the results of a function that returns what it takes."""
    if not types:
        return []
    names = [f"%a{index}" for index in range(len(types))]
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
    attributes = f" attributes {{{symbols}}}" if symbols else ""
    module = folder / f"{name}-inputs.mlir"
    module.write_text(f"func.func @main({arguments}) -> ({', '.join(types)}){attributes} {{\n"
                      f"  return {', '.join(names)} : {', '.join(types)}\n}}\n")
    files = [folder / f"{name}-{index}.npy" for index in range(len(types))]
    run("tc-run", module, "--device=reference", "--random-inputs=7", *sizes, *(f"--output=@{file}" for file in files))
    return files


def check_module(driver, path, sizes, options, folder):
    # As printed by TC: types are written out, and a function's signature is on one line.
    text = run("tc-run", path, "--compile-to=import")
    count = 0
    for target in TARGETS:
        made = folder / target.replace(":", "-")
        for name, types, results, symbols in functions(text):
            inputs = make_inputs(name, types, symbols, sizes, folder)
            given = [f"--input=@{file}" for file in inputs]
            if not (made / "library.so").exists():
                run("tc-run", path, f"--function={name}", f"--target={target}", f"--object-files={made}", *given)
                run(LINKER, "-shared", "-o", made / "library.so", *sorted(made.glob("*.o")), "-lm")
            for threads in THREADS:
                run(*EMULATOR, driver, made / "library.so", name, results, threads, *inputs, cwd=made)
                run("tc-run", path, f"--function={name}", "--device=reference", *given, *options,
                    *(f"--expected_output=@{made}/output-{index}.npy" for index in range(results)))
                count += 1
    return count


def main(driver, folder, *modules):
    shutil.rmtree(folder, ignore_errors=True)
    total = 0
    for number, module in enumerate(modules):
        path, *words = module.split(":")
        options = [word for word in words if word.startswith("--")]
        sizes = [f"--size={word}" for word in words if word not in options]
        place = Path(folder) / str(number)
        os.makedirs(place)
        total += check_module(driver, path, sizes, options, place)
    print(f"{len(modules)} modules, {total} calls as in the interpreter")


main(*sys.argv[1:])
