"""Writes the text of a GPU kernel: values with operators, regions as `with`
blocks, and the host function that launches it. Ops are of the arith, scf, llvm and
nvvm dialects, as in the modules that phase generate makes."""

import contextlib
import math
from dataclasses import dataclass, field

INTEGERS = {"add": "addi", "sub": "subi", "mul": "muli", "div": "divui", "rem": "remui", "shl": "shli", "shr": "shrui",
            "and": "andi", "or": "ori", "xor": "xori"}
FLOATS = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf"}
SHARED, GLOBAL, GENERIC = "!llvm.ptr<3>", "!llvm.ptr<1>", "!llvm.ptr"
ALL_LANES = -1


def struct(types):
    return f"!llvm.struct<({', '.join(types)})>"


def _operator(name):
    return lambda self, other: self.kernel.binary(name, self, other)


def _reflected(name):
    return lambda self, other: self.kernel.binary(name, other, self)


class Value:
    """An SSA value; integers are unsigned. Python's numbers become constants of the
    other operand's type."""

    def __init__(self, kernel, name, type):
        self.kernel, self.name, self.type = kernel, name, type

    def __str__(self):
        return self.name

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("sub"), _reflected("sub")
    __mul__, __rmul__ = _operator("mul"), _reflected("mul")
    __floordiv__, __mod__ = _operator("div"), _operator("rem")
    __truediv__, __rtruediv__ = _operator("div"), _reflected("div")
    __lshift__, __rshift__ = _operator("shl"), _operator("shr")
    __and__, __or__, __xor__ = _operator("and"), _operator("or"), _operator("xor")

    def __neg__(self):
        return self.kernel.op(f"arith.negf {self} : f32", "f32")

    def compare(self, predicate, other):
        other = self.kernel.constant(other, self.type)
        suffix = "f" if self.type.startswith("f") else "i"
        return self.kernel.op(f"arith.cmp{suffix} {predicate}, {self}, {other} : {self.type}", "i1")

    def select(self, then, otherwise):
        """`then` where this condition holds, else `otherwise`."""
        kernel = self.kernel
        type = then.type if isinstance(then, Value) else otherwise.type if isinstance(otherwise, Value) else "i32"
        then, otherwise = kernel.constant(then, type), kernel.constant(otherwise, type)
        return kernel.op(f"arith.select {self}, {then}, {otherwise} : {type}", type)

    def extend(self, type):
        return self.kernel.op(f"arith.extui {self} : {self.type} to {type}", type)

    def bits_as(self, type):
        op = "arith.bitcast" if {self.type, type} == {"i32", "f32"} else "llvm.bitcast"
        return self.kernel.op(f"{op} {self} : {self.type} to {type}", type)

    def fields(self, types):
        """The fields of a struct."""
        return [self.kernel.op(f"llvm.extractvalue {self}[{i}] : {self.type}", type) for i, type in enumerate(types)]

    def at(self, offset):
        """The address `offset` bytes behind this one."""
        if isinstance(offset, Value):
            return self.kernel.op(f"llvm.getelementptr {self}[{offset}] : ({self.type}, {offset.type}) -> {self.type}, i8",
                                  self.type)
        return self.kernel.op(f"llvm.getelementptr {self}[{offset}] : ({self.type}) -> {self.type}, i8", self.type)


@dataclass
class TensorMap:
    """A view of a buffer whose boxes the kernel copies; from the outermost dimension,
    strides in elements."""
    buffer: str
    sizes: tuple
    box: tuple
    swizzle: int = 128
    strides: tuple = ()

    def text(self, number):
        numbers = lambda values: ", ".join(map(str, values))
        strides = f"strides = <[{numbers(self.strides)}]>, " if self.strides else ""
        return (f"#tc.tensor_map<buffer = {number}, sizes = <[{numbers(self.sizes)}]>, {strides}"
                f"box = [{numbers(self.box)}], swizzle = {self.swizzle}>")


@dataclass
class Launch:
    """How a kernel is started, and the bounds that it is assembled for."""
    blocks: int
    threads: int
    shared_bytes: int = 0
    cluster: int = 1
    least_blocks: int = 1  # of a multiprocessor
    tensor_maps: list = field(default_factory=list)


class Kernel:
    """A kernel in the making. `buffers` are (name, sizes, element type), the last of
    them the output."""

    def __init__(self, name, buffers):
        self.name, self.buffers = name, buffers
        self.lines, self.depth, self.count, self.constants = [], 3, 0, {}
        self.arguments = {buffer: Value(self, f"%{buffer}", GLOBAL) for buffer, _, _ in buffers}

    # Ops

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self, type):
        self.count += 1
        return Value(self, f"%v{self.count}", type)

    def op(self, text, type):
        result = self.fresh(type)
        self.emit(f"{result} = {text}")
        return result

    def constant(self, value, type="i32"):
        """A constant of the entry block; values stay what they are. A text is a
        literal of MLIR, for example of infinity."""
        if isinstance(value, Value):
            return value
        if type == "f32" and not isinstance(value, str):
            value = "%.17e" % value
        if (value, type) not in self.constants:
            self.constants[value, type] = Value(self, f"%c{len(self.constants)}", type)
        return self.constants[value, type]

    def binary(self, name, left, right):
        type = left.type if isinstance(left, Value) else right.type
        table = FLOATS if type.startswith(("f", "vector<2xbf")) else INTEGERS
        left, right = self.constant(left, type), self.constant(right, type)
        return self.op(f"arith.{table[name]} {left}, {right} : {type}", type)

    def maximum(self, left, right, keeps_nan=False):
        left = self.constant(left, "f32")
        op = "maximumf" if keeps_nan else "maxnumf"
        return self.op(f"arith.{op} {left}, {self.constant(right, left.type)} : {left.type}", left.type)

    def minimum(self, left, right):
        """Of two i32."""
        return self.op(f"arith.minui {self.constant(left)}, {self.constant(right)} : i32", "i32")

    def fma(self, left, right, addend):
        operands = ", ".join(str(self.constant(value, "f32")) for value in (left, right, addend))
        return self.op(f"llvm.intr.fma({operands}) : (f32, f32, f32) -> f32", "f32")

    def asm(self, text, constraints, operands=(), results=(), is_ordered=False):
        """PTX in the text of a program; `is_ordered` keeps its place among others.
        Gives a value, or a list of values."""
        operands = [self.constant(operand) for operand in operands]
        type = "!llvm.void" if not results else results[0] if len(results) == 1 else struct(results)
        text = (f'llvm.inline_asm {"has_side_effects " if is_ordered else ""}asm_dialect = att "{text}", "{constraints}" '
                f'{", ".join(map(str, operands))} : ({", ".join(operand.type for operand in operands)}) -> {type}')
        if not results:
            return self.emit(text)
        value = self.op(text, type)
        return value if len(results) == 1 else value.fields(results)

    def tied_asm(self, text, values, kept=(), clobbers=""):
        """Ordered PTX that takes and gives back `values`, in the same registers, so
        that no use of them moves across it; `kept` only live until then."""
        names = {"f32": "f", "i32": "r"}
        outputs = [f"={names[value.type]}" for value in values]
        inputs = [names[value.type] for value in kept] + [str(index) for index in range(len(values))]
        return self.asm(text, ",".join(outputs + inputs) + clobbers, [*kept, *values], [value.type for value in values],
                        is_ordered=True)

    # Regions

    @contextlib.contextmanager
    def region(self, head, end="}"):
        self.emit(head)
        self.depth += 1
        yield
        self.depth -= 1
        self.emit(end)

    def when(self, condition):
        return self.region(f"scf.if {condition} {{")

    def split(self, condition, then, otherwise):
        """Runs `then()` where the condition holds, else `otherwise()`."""
        with self.region(f"scf.if {condition} {{", "} else {"):
            then()
        self.depth += 1
        otherwise()
        self.depth -= 1
        self.emit("}")

    def undefined(self, type):
        return self.op(f"llvm.mlir.undef : {type}", type)

    def results(self, name, types):
        return [Value(self, f"{name}#{i}" if len(types) > 1 else str(name), type) for i, type in enumerate(types)]

    def choose(self, condition, then, otherwise):
        """The lists of values of `then()` or `otherwise()`, of equal types."""
        at = len(self.lines)
        result = self.fresh("")
        self.depth += 1
        branches = []
        for branch in (then, otherwise):
            values = branch()
            types = [value.type for value in values]
            self.emit(f"scf.yield {', '.join(map(str, values))} : {', '.join(types)}")
            branches.append(len(self.lines))
        self.depth -= 1
        self.lines.insert(branches[0], "  " * self.depth + "} else {")
        count = f":{len(types)}" if len(types) > 1 else ""
        self.lines.insert(at, "  " * self.depth + f"{result}{count} = scf.if {condition} -> ({', '.join(types)}) {{")
        self.emit("}")
        return self.results(result, types)

    def loop(self, begin, end, step, carried, body):
        """scf.for with `carried` values; `body(index, values)` gives the next ones."""
        begin, end, step = self.constant(begin), self.constant(end), self.constant(step)
        carried = [self.constant(value) for value in carried]
        index, name = self.fresh("i32"), self.fresh("")
        inside = [self.fresh(value.type) for value in carried]
        types = ", ".join(value.type for value in carried)
        pairs = ", ".join(f"{value} = {first}" for value, first in zip(inside, carried))
        count = f":{len(carried)}" if len(carried) > 1 else ""
        with self.region(f"{name}{count} = scf.for {index} = {begin} to {end} step {step} iter_args({pairs}) -> ({types}) "
                         ": i32 {"):
            following = [self.constant(value) for value in body(index, inside)]
            self.emit(f"scf.yield {', '.join(map(str, following))} : {types}")
        return self.results(name, [value.type for value in carried])

    def while_less(self, carried, end, body):
        """scf.while: as long as the first of the `carried` values is less than `end`."""
        carried = [self.constant(value) for value in carried]
        before, inside = ([self.fresh(value.type) for value in carried] for _ in range(2))
        name, types = self.fresh(""), ", ".join(value.type for value in carried)
        pairs = ", ".join(f"{value} = {first}" for value, first in zip(before, carried))
        with self.region(f"{name}:{len(carried)} = scf.while ({pairs}) : ({types}) -> ({types}) {{", "} do {"):
            goes_on = before[0].compare("ult", end)
            self.emit(f"scf.condition({goes_on}) {', '.join(map(str, before))} : {types}")
        self.depth += 1
        self.emit(f"^bb0({', '.join(f'{value}: {value.type}' for value in inside)}):")
        following = [self.constant(value) for value in body(inside)]
        self.emit(f"scf.yield {', '.join(map(str, following))} : {types}")
        self.depth -= 1
        self.emit("}")
        return self.results(name, [value.type for value in carried])

    # Text

    def kernel_text(self, launch):
        """The gpu.module."""
        is_tensor_map = "{llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}"
        parameters = [f"%map_{i}: {GENERIC} {is_tensor_map}" for i in range(len(launch.tensor_maps))]
        parameters += [f"%{buffer}_pointer: {GENERIC}" for buffer, _, _ in self.buffers] + [f"%status: {GENERIC}"]
        bounds = [f"known_block_size = array<i32: {launch.threads}, 1, 1>", f"nvvm.minctasm = {launch.least_blocks} : i32"]
        if launch.cluster > 1:
            bounds.append(f"nvvm.cluster_dim = array<i32: {launch.cluster}, 1, 1>")
        lines = [f'  gpu.module @{self.name} [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {{']
        if launch.shared_bytes:
            lines.append("    llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} "
                         ": !llvm.array<0 x i8>")
        lines.append(f"    gpu.func @{self.name}({', '.join(parameters)}) kernel attributes {{{', '.join(bounds)}}} {{")
        lines += [f"      {value} = arith.constant {literal} : {type}" for (literal, type), value in self.constants.items()]
        lines += [f"      %{buffer} = llvm.addrspacecast %{buffer}_pointer : {GENERIC} to {GLOBAL}"
                  for buffer, _, _ in self.buffers]
        return "\n".join([*lines, *self.lines, "      gpu.return", "    }", "  }"])

    def module(self, launch):
        """The text of a module that has run phase generate: a function `main` of all
        buffers but the last, which it gives back."""
        return module_text([(self, launch)], self.buffers)


def memref(sizes, element):
    return f"memref<{'x'.join(map(str, sizes))}x{element}>"


def module_text(kernels, buffers, workspaces=()):
    """A module whose function `main` takes all `buffers` but the last, which it gives
    back, and launches the kernels one after the other. `workspaces` are further
    buffers (name, sizes, element type) of few bytes each."""
    types = {name: memref(sizes, element) for name, sizes, element in [*buffers, *workspaces]}
    *inputs, (output, _, _) = buffers
    lines = ['module attributes {gpu.container_module, tc.phase = "generate", '
             'tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {',
             f"  func.func @main({', '.join(f'%{name}: {types[name]}' for name, _, _ in inputs)}) {{",
             f"    %{output} = tc.output_buffer 0 : {types[output]}"]
    if workspaces:
        step = 256  # bytes from one workspace to the next
        arena = memref([step * len(workspaces)], "i8")
        lines.append(f"    %arena = tc.arena <{step * len(workspaces)}> : {arena}")
        lines += [f"    %{name} = tc.arena_view %arena offset <{step * i}> : {arena} -> {types[name]}"
                  for i, (name, _, _) in enumerate(workspaces)]
    for kernel, launch in kernels:
        names = [name for name, _, _ in kernel.buffers]
        maps = ", ".join(item.text(names.index(item.buffer)) for item in launch.tensor_maps)
        extras = [f"threads = {launch.threads} : i64"]
        extras += [f"cluster = {launch.cluster} : i64"] if launch.cluster > 1 else []
        extras += [f"shared_bytes = {launch.shared_bytes} : i64"] if launch.shared_bytes else []
        lines.append(f"    tc.launch @{kernel.name} count <{launch.blocks}> grain <1> ({', '.join('%' + n for n in names)}) "
                     + (f"tensor_maps [{maps}] " if maps else "")
                     + f"{{{', '.join(extras)}}} : {', '.join(types[n] for n in names)}")
    lines += ["    return", "  }"]
    return "\n".join([*lines, *(kernel.kernel_text(launch) for kernel, launch in kernels), "}"]) + "\n"


def reduce_pairs(combine, values):
    """A balanced tree of `combine`."""
    values = list(values)
    while len(values) > 1:
        values = [combine(*values[i:i + 2]) if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
    return values[0]


def add(left, right):
    return left + right


LOG2_E = math.log2(math.e)
