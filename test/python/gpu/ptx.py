"""Counts the instructions that threads of a PTX kernel execute.

Integers are computed, so that loops and bounds are followed; floating-point
values and what is loaded are unknown. A branch that depends on something unknown
is not taken, except that a wait for a barrier in memory has always succeeded.
"""

import re
from dataclasses import dataclass

MOST_INSTRUCTIONS = 200_000
WIDTHS = {"8": 8, "16": 16, "32": 32, "64": 64, "128": 128}


@dataclass(frozen=True)
class Instruction:
    guard: str  # register of its predicate, or ""
    negated: bool
    opcode: tuple  # parts between dots
    operands: tuple


@dataclass(frozen=True)
class Launch:
    """What a kernel is started with; arguments are integers, or None for those
    that are not."""
    blocks: int
    threads: int
    arguments: tuple


def _split_operands(text):
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return tuple(part for part in [*parts, text[start:].strip()] if part)


def _parse_instruction(text):
    guard, negated = "", False
    if text.startswith("@"):
        guard, text = text[1:].split(None, 1)
        negated, guard = guard.startswith("!"), guard.lstrip("!")
    opcode, _, rest = text.partition(" ")
    return Instruction(guard, negated, tuple(opcode.split(".")), _split_operands(rest.strip()))


class Kernel:
    """The only kernel of a module of PTX."""

    def __init__(self, text):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        self.name = re.search(r"\.entry (\w+)\(", text)[1]
        self.parameters = re.findall(r"\.param [^,)]*?(\w+)(?:\[\d+\])?\s*[,)]", text[:text.index("\n{")])
        self.instructions, self.labels = [], {}
        self.scope, self.scopes = (), []  # of what is read, and of each instruction: numbers of blocks in braces
        self.scope_count = 0
        body = text[text.index("\n{") + 2:text.rindex("}")]
        for statement in re.split("[;\n]", body):
            self._add(statement.strip().replace("\t", " "))

    def _add(self, text):
        while text:
            if text[0] in "{}":  # of inline assembly, whose labels are its own
                self.scope_count += text[0] == "{"
                self.scope = (*self.scope, self.scope_count) if text[0] == "{" else self.scope[:-1]
                text = text[1:].strip()
                continue
            label = re.match(r"([$\w]+):\s*", text)
            if label:
                self.labels[label[1], self.scope] = len(self.instructions)
                text = text[label.end():]
                continue
            if not text.startswith("."):
                self.instructions.append(_parse_instruction(text))
                self.scopes.append(self.scope)
            return

    def _find_label(self, name, scope):
        """Where a branch inside of `scope` goes: to the label of the innermost block around it that has one."""
        inside = [scope[:depth] for depth in range(len(scope), -1, -1)]
        return next(self.labels[name, one] for one in inside if (name, one) in self.labels)

    def count(self, launch, thread, block):
        """Instructions that one thread executes."""
        machine = _Machine(self, launch, thread, block)
        at = executed = 0
        while at < len(self.instructions):
            instruction = self.instructions[at]
            executed += 1
            if executed > MOST_INSTRUCTIONS:
                raise RuntimeError(f"{self.name} executes more than {MOST_INSTRUCTIONS} instructions in one thread")
            at += 1
            if instruction.guard:
                value = machine.registers.get(instruction.guard)
                if value is None or bool(value) == instruction.negated:
                    continue
            opcode = instruction.opcode[0]
            if opcode == "bra":
                at = self._find_label(instruction.operands[0], self.scopes[at - 1])
            elif opcode in ("ret", "exit", "trap"):
                break
            else:
                machine.execute(instruction)
        return executed

    def count_in_launch(self, launch):
        """Instructions of all threads, from those of some of a block in the middle."""
        threads = sorted({0, min(33, launch.threads - 1), launch.threads // 2, launch.threads - 1})
        counts = [self.count(launch, thread, launch.blocks // 2) for thread in threads]
        return sum(counts) / len(counts) * launch.threads * launch.blocks


def _signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _divide(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_ARITHMETIC = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": min,
    "max": max,
    "div": lambda a, b: _divide(a, b) if b else 0,
    "rem": lambda a, b: a - b * _divide(a, b) if b else 0,
}
_COMPARISONS = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lo": lambda a, b: a < b, "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b, "hs": lambda a, b: a >= b,
}


class _Machine:
    """The registers of one thread."""

    def __init__(self, kernel, launch, thread, block):
        self.registers = {
            "%tid.x": thread, "%ctaid.x": block, "%ntid.x": launch.threads, "%nctaid.x": launch.blocks,
            "%laneid": thread % 32, "%warpid": thread // 32}
        for axis in "yz":
            self.registers |= {f"%tid.{axis}": 0, f"%ctaid.{axis}": 0, f"%ntid.{axis}": 1, f"%nctaid.{axis}": 1}
        self.parameters = dict(zip(kernel.parameters, launch.arguments))

    def value(self, text):
        """Of a register or an immediate; None when it is unknown."""
        if text.startswith("%"):
            return self.registers.get(text)
        if re.match(r"0[fFdD][0-9a-fA-F]+$", text):
            return None
        if re.match(r"-?(0x[0-9a-fA-F]+|\d+)U?$", text):
            return int(text.rstrip("U"), 0)
        return 0  # the address of a variable in shared memory

    def set(self, operand, value):
        for register in re.findall(r"%\w+", operand):
            self.registers[register] = value if operand.startswith("%") else None

    def execute(self, instruction):
        opcode, operands = instruction.opcode, instruction.operands
        if not operands or opcode[0] in ("st", "bar", "barrier", "membar", "fence", "red", "prefetch", "cp"):
            return
        if opcode[0] == "mbarrier":
            self.registers[operands[0]] = 1  # a phase is over at once
            return
        self.set(operands[0], self._result(opcode, operands[1:]))

    def _result(self, opcode, operands):
        name, kind = opcode[0], opcode[-1]
        if name == "ld":
            return self._load(operands[0]) if "param" in opcode else None
        if name == "setp":
            return self._compare(opcode, operands)
        if name == "selp":
            condition = self.value(operands[2])
            return None if condition is None else self.value(operands[0 if condition else 1])
        if kind[0] == "f" or kind.startswith("bf") or any(operand[0] in "{[" for operand in operands):
            return None
        values = [self.value(operand) for operand in operands]
        if None in values:
            return None
        bits = WIDTHS.get(kind.lstrip("subf"), 64)
        read = (lambda value: _signed(value, bits)) if kind[0] == "s" else (lambda value: value & ((1 << bits) - 1))
        return self._compute(name, opcode, bits, read, values)

    def _load(self, operand):
        name, _, offset = operand.strip("[]").partition("+")
        return None if offset and int(offset) else self.parameters.get(name.strip())

    def _compare(self, opcode, operands):
        values = [self.value(operand) for operand in operands[:2]]
        kind = opcode[-1]
        if None in values or kind[0] == "f" or kind.startswith("bf") or len(operands) > 2:
            return None
        bits = WIDTHS[kind.lstrip("sub")]
        read = (lambda value: _signed(value, bits)) if kind[0] == "s" else (lambda value: value & ((1 << bits) - 1))
        return int(_COMPARISONS[opcode[1]](*map(read, values)))

    def _compute(self, name, opcode, bits, read, values):
        wide, high = "wide" in opcode, "hi" in opcode
        cut = lambda value: value if wide else value & ((1 << bits) - 1)
        if name in ("mov", "cvta"):
            return values[0]
        if name == "cvt":
            source = opcode[-1]
            from_bits = WIDTHS.get(source.lstrip("sub"), 64)
            return _signed(values[0], from_bits) if source[0] == "s" else values[0] & ((1 << from_bits) - 1)
        if name in ("mad", "fma"):
            return cut((read(values[0]) * read(values[1])) + values[2])
        if name == "shl":
            return cut(values[0] << min(values[1], 64))
        if name == "shr":
            return cut(read(values[0]) >> min(values[1], 64))
        if name == "neg":
            return cut(-values[0])
        if name == "not":
            return cut(~values[0]) if opcode[-1] != "pred" else int(not values[0])
        if name == "bfe":
            return cut(read(values[0]) >> values[1] & ((1 << values[2]) - 1))
        if name in _ARITHMETIC and len(values) == 2:
            result = _ARITHMETIC[name](*map(read, values))
            return cut(result >> bits if high else result)
        return None
