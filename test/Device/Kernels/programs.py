"""What the hand-written kernels compute, as programs in tc ops on the same inputs."""


def tensor(sizes, element="f32"):
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


class Program:
    """A function in f32 of inputs that may be of another type."""

    def __init__(self):
        self.lines, self.inputs, self.count = [], [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        return f"%{self.count}"

    def input(self, name, sizes, element="f32"):
        self.inputs.append(f"%{name}: {tensor(sizes, element)}")
        if element == "f32":
            return f"%{name}"
        return self.op(f"tc.cast %{name} : {tensor(sizes, element)} to {tensor(sizes)}")

    def text(self, result, sizes, element="f32"):
        if element != "f32":
            result = self.op(f"tc.cast {result} : {tensor(sizes)} to {tensor(sizes, element)}")
        body = "\n".join(self.lines)
        return (f"func.func @main({', '.join(self.inputs)}) -> {tensor(sizes, element)} {{\n{body}\n"
                f"  return {result} : {tensor(sizes, element)}\n}}\n")


def scaled(program, value, sizes, scale, shift):
    factor, addend = (program.op(f"tc.full {float(number)} : f32 -> {tensor(sizes)}") for number in (scale, shift))
    value = program.op(f"tc.mul {value}, {factor} : {tensor(sizes)}")
    return program.op(f"tc.add {value}, {addend} : {tensor(sizes)}")


def layer_norm(rows=65536, columns=4096, **_):
    program, sizes, type = Program(), (rows, columns), tensor((rows, columns))
    x, w, b = program.input("x", sizes, "bf16"), program.input("w", (columns,), "bf16"), program.input("b", (columns,), "bf16")
    vector = tensor((columns,))
    value = program.op(f"tc.layer_norm {x} weight {w} : {vector} bias {b} : {vector} rank 1 eps 1.0e-5 : {type}")
    value = program.op(f"tc.gelu {value} : {type}")
    return program.text(scaled(program, value, sizes, 1.2, 0.1), sizes, "bf16")


def softmax(rows=4096, columns=131072, **_):
    program, sizes = Program(), (rows, columns)
    x = program.input("x", sizes, "bf16")
    return program.text(program.op(f"tc.softmax {x} dim 1 : {tensor(sizes)}"), sizes, "bf16")


def transpose(rows=8192, columns=8192, **_):
    program, sizes = Program(), (columns, rows)
    x = program.input("x", (rows, columns))
    value = program.op(f"tc.transpose {x} [1, 0] : {tensor((rows, columns))} -> {tensor(sizes)}")
    return program.text(scaled(program, value, sizes, 1, 1), sizes)


def column_sum(rows=16384, columns=16384, **_):
    program = Program()
    x = program.input("x", (rows, columns))
    value = program.op(f"tc.reduce sum {x} dims [0] : {tensor((rows, columns))} -> {tensor((columns,))}")
    return program.text(value, (columns,))


def gemm(m=4096, n=4096, k=4096, is_nk=1, bias=0, gelu=0, **_):
    program, sizes = Program(), (m, n)
    a = program.input("a", (m, k), "bf16")
    b_sizes = (n, k) if is_nk else (k, n)
    b = program.input("b", b_sizes, "bf16")
    addend = program.input("bias", (n,), "bf16") if bias else None
    value = program.op(f'tc.contract "mk,{"nk" if is_nk else "kn"}->mn" {a}, {b} : {tensor((m, k))}, {tensor(b_sizes)} '
                       f"-> {tensor(sizes)}")
    if bias:
        addend = program.op(f"tc.broadcast {addend} dims [1] : {tensor((n,))} -> {tensor(sizes)}")
        value = program.op(f"tc.add {value}, {addend} : {tensor(sizes)}")
    if gelu:
        value = program.op(f"tc.gelu_tanh {value} : {tensor(sizes)}")
    return program.text(value, sizes, "bf16")


def attention(batch=4, heads=16, length=4096, causal=1, **_):
    program, sizes, type = Program(), (batch, heads, length, 128), tensor((batch, heads, length, 128))
    q, k, v = (program.input(name, sizes, "bf16") for name in "qkv")
    value = program.op(f"tc.attention {q}, {k}, {v} scale {128**-0.5:e} {'{causal} ' if causal else ''}: {type}, {type}, "
                       f"{type} -> {type}")
    return program.text(value, sizes, "bf16")
