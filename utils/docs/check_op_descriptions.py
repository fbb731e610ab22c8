#!/usr/bin/env python3
"""Checks that the examples in op descriptions parse and verify.

usage: check_op_descriptions.py TC_OPT

An example uses values that it does not define. They are defined before it,
first with the wrong type: the parser then says which type the example uses
them with. Ops that only exist inside another op are left to the example of
that op.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "lint")]

from op_descriptions import examples  # noqa: E402
from tree import Tree  # noqa: E402

SEPARATOR = "\n// -----\n"
UNKNOWN = "!unknown.type"
ATTEMPTS = 16


class Example:
    """An op's example, and the types found so far of the values it needs."""

    def __init__(self, record, ir):
        self.record = record
        self.ir = ir
        self.types = {name: UNKNOWN for name in self.undefined()}

    def text(self):
        definitions = "".join(f'  %{name} = "value"() : () -> {type}\n'
                              for name, type in self.types.items())
        return f"module {{\n{definitions}{self.ir.rstrip()}\n}}\n"

    def learn(self, complaint):
        """Takes a type from the parser's complaint; False when it says something else."""
        used = re.search(r"use of value '%([\w.]+)' expects different type than prior uses: "
                         r"'(.+)' vs '(.+)'", complaint)
        if used and self.types.get(used[1]) == UNKNOWN == used[3]:
            self.types[used[1]] = used[2]
            return True
        return False

    def undefined(self):
        """The %names that the example uses but does not define."""
        names = set(re.findall(r"%([A-Za-z_][\w.]*|\d+)", self.ir))
        defined = set()
        for results in re.findall(r"^\s*((?:%[\w.:]+(?:,\s*)?)+)\s*=\s", self.ir, re.M):
            defined |= set(re.findall(r"%([A-Za-z_][\w.]*|\d+)", results))
        defined |= set(re.findall(r"[(,]\s*%([A-Za-z_]\w*) = %", self.ir))
        defined |= set(re.findall(r"[(,]\s*%([A-Za-z_]\w*): ", self.ir))  # arguments of functions
        return sorted(names - defined)


def complaints(tool, batch):
    """The error of tc-opt for each example that has one, by its index."""
    text = SEPARATOR.join(example.text() for example in batch)
    starts, line = [], 1
    for example in batch:
        starts.append(line)
        line += example.text().count("\n") + SEPARATOR.count("\n")
    result = subprocess.run([tool, "--split-input-file", "--allow-unregistered-dialect", "-",
                             "-o", "/dev/null"], input=text, capture_output=True, text=True)
    said = {}
    index = None
    for row in result.stderr.splitlines(keepends=True):
        match = re.match(r"<stdin>:(\d+):|.*within split at <stdin>:(\d+) offset :(\d+):", row)
        if match and "error:" in row:
            number = int(match[1]) if match[1] else int(match[2]) + int(match[3]) - 1
            index = max(at for at, start in enumerate(starts) if start <= number)
        said[index] = said.get(index, "") + row
    return said


def collect(tree):
    """The examples of all ops that can stand alone."""
    found = []
    for record in tree.records_of("Op"):
        if "HasParent" in str(record.fields["traits"]) or "ParentOneOf" in str(record.fields["traits"]):
            continue
        for ir in examples(record.fields["description"]):
            found.append(Example(record, ir))
    return found


def main(arguments):
    tool = arguments[0]
    found = collect(Tree(HERE.parents[1]))
    open_examples = list(found)
    for _ in range(ATTEMPTS):
        said = complaints(tool, open_examples)
        learned = [example for index, example in enumerate(open_examples)
                   if index in said and example.learn(said[index])]
        failed = [(example, said[index]) for index, example in enumerate(open_examples)
                  if index in said and example not in learned]
        open_examples = learned + [example for example, _ in failed]
        if not learned:
            break
    for example, text in failed:
        record = example.record
        print(f"{record.path}:{record.line}: tc.{record.fields['opName']}:\n{example.text()}{text}")
    print(f"{len(found)} examples of ops, {len(failed)} not true")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
