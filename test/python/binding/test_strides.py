"""Inputs with strides: read where they are when they have those of the export, copied otherwise."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tc = pytest.importorskip("tc")

from torch.export import Dim

FORMS = {
    "pitched": lambda rows, columns: torch.randn(rows, columns + 24)[:, :columns],
    "stepped": lambda rows, columns: torch.randn(rows, 2 * columns)[:, ::2],
    "odd_width": lambda rows, columns: torch.randn(rows, 2 * columns - 1)[:, ::2],
    "odd_steps": lambda rows, columns: torch.randn(rows, 3 * columns - 1)[:, ::3],
    "transposed": lambda rows, columns: torch.randn(columns, rows).t(),
    "transposed_pitched": lambda rows, columns: torch.randn(columns, rows + 7)[:, :rows].t(),
    "misaligned": lambda rows, columns: torch.randn(rows * columns + 1)[1:].view(rows, columns),
    "misaligned_pitched": lambda rows, columns: torch.randn(rows, columns + 24)[:, 1:columns + 1],
    "every_second_row": lambda rows, columns: torch.randn(2 * rows, columns)[::2],
    "row_major": torch.randn,
}


class Rows(torch.nn.Module):
    def forward(self, x, y):
        return torch.softmax(x, -1) + y.relu(), x.sum(0), x + 1


class Identity(torch.nn.Module):
    def forward(self, x):
        return x.clone()


def export(module, inputs, tmp_path, **options):
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(module, inputs, **options), path)
    return tc.compile(path)


def expected_strides(compiled):
    return compiled.signature.inputs[0].strides


def check(compiled, module, *inputs):
    results = compiled(*inputs)
    wanted = module(*inputs)
    for result, one in zip(*((value if isinstance(value, tuple) else (value,)) for value in (results, wanted)),
                           strict=True):
        torch.testing.assert_close(result, one)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", ["pitched", "transposed", "row_major"])
def test_static_sizes(form, other, tmp_path):
    """The example's strides, and any others at the call."""
    compiled = export(Rows(), (FORMS[form](8, 72), FORMS[other](8, 72)), tmp_path)
    check(compiled, Rows(), FORMS[form](8, 72), FORMS[other](8, 72))
    for at_call in FORMS:
        check(compiled, Rows(), FORMS[at_call](8, 72), FORMS[at_call](8, 72))


@pytest.mark.parametrize("form", FORMS)
def test_symbolic_sizes(form, tmp_path):
    sizes = {0: Dim.AUTO, 1: Dim.AUTO}
    compiled = export(Rows(), (FORMS[form](8, 72), torch.randn(8, 72)), tmp_path, dynamic_shapes=(sizes, sizes))
    for rows, columns in ((8, 72), (2, 2), (13, 40), (65, 129)):
        for at_call in FORMS:
            check(compiled, Rows(), FORMS[at_call](rows, columns), torch.randn(rows, columns))
        windows = torch.randn(rows + columns).as_strided((rows, columns), (1, 1))
        for overlapping in (windows, torch.randn(columns).expand(rows, columns), torch.randn(1).expand(rows, columns)):
            check(compiled, Rows(), overlapping, torch.randn(rows, columns))


@pytest.mark.parametrize("form", ["pitched", "stepped", "transposed"])
def test_symbolic_rows(form, tmp_path):
    sizes = {0: Dim.DYNAMIC}
    compiled = export(Rows(), (FORMS[form](8, 72), torch.randn(8, 72)), tmp_path, dynamic_shapes=(sizes, sizes))
    for rows in (2, 8, 13):
        for at_call in FORMS:
            check(compiled, Rows(), FORMS[at_call](rows, 72), torch.randn(rows, 72))


STEPS = {1: torch.randn, 2: FORMS["stepped"], 3: FORMS["odd_steps"]}


@pytest.mark.parametrize("step", [2, 3])
def test_step_of_the_example(step, tmp_path):
    """The step between elements is the example's, whatever the sizes are; what has another one is copied."""
    sizes = {0: Dim.AUTO, 1: Dim.AUTO}
    compiled = export(Rows(), (STEPS[step](8, 72), torch.randn(8, 72)), tmp_path, dynamic_shapes=(sizes, sizes))
    assert expected_strides(compiled)[1] == step
    for rows, columns in ((8, 72), (2, 2), (13, 41)):
        for at_call, make in STEPS.items():
            check(compiled, Rows(), make(rows, columns), torch.randn(rows, columns))
        check(compiled, Rows(), torch.randn(rows, 7 * columns)[:, ::7], torch.randn(rows, columns))


def test_turned_step(tmp_path):
    """The smallest stride is the step, whichever dimension has it."""
    sizes = {0: Dim.AUTO, 1: Dim.AUTO}

    def turned(rows, columns, step=2):
        return torch.randn(columns, step * rows)[:, ::step].t()

    compiled = export(Identity(), (turned(8, 72),), tmp_path, dynamic_shapes=(sizes,))
    assert expected_strides(compiled)[0] == 2
    for step in (1, 2, 3):
        check(compiled, Identity(), turned(13, 40, step))


def test_steps_that_stay_symbols(tmp_path):
    """A step that the program computes with, that of an input which the call writes, and a matrix's width."""
    class Computes(torch.nn.Module):
        def forward(self, x):
            return x * x.stride(1)

    class Doubles(torch.nn.Module):
        def forward(self, x):
            x.mul_(2)
            return x + 1

    sizes = {0: Dim.AUTO, 1: Dim.AUTO}
    computed = export(Computes(), (STEPS[2](8, 72),), tmp_path, dynamic_shapes=(sizes,))
    doubled = export(Doubles(), (STEPS[2](8, 72),), tmp_path, dynamic_shapes=(sizes,))
    column = export(Identity(), (torch.randn(8, 72)[:, 0],), tmp_path, dynamic_shapes=({0: Dim.AUTO},))
    for compiled in (computed, doubled, column):
        assert isinstance(expected_strides(compiled)[-1], str)
    for step, make in STEPS.items():
        x = make(13, 41)
        before = x.clone()
        torch.testing.assert_close(doubled(x), before * 2 + 1)
        torch.testing.assert_close(x, before * 2)
        check(computed, Computes(), torch.randn(13, step * 41)[:, ::step])
        check(column, Identity(), make(13, 41)[:, 0])


def test_description(tmp_path):
    compiled = export(Identity(), (FORMS["pitched"](8, 72),), tmp_path)
    assert expected_strides(compiled) == (96, 1)
    assert str(compiled.signature) == "main(x: 8x72xf32 strides [96, 1]) -> (clone: 8x72xf32)"
    compiled = export(Identity(), (torch.randn(8, 72),), tmp_path)
    assert expected_strides(compiled) is None
    # Of as many dimensions as these only some matter: one row may be anywhere.
    compiled = export(Identity(), (torch.randn(1, 96)[:, :72],), tmp_path)
    assert expected_strides(compiled) is None


@pytest.mark.parametrize("make", [
    lambda: torch.randn(8, 1).expand(8, 72), lambda: torch.randn(100).as_strided((8, 72), (3, 1))],
    ids=["repeated", "overlapping"])
def test_what_overlaps_is_copied(make, tmp_path):
    compiled = export(Identity(), (make(),), tmp_path)
    assert expected_strides(compiled) is None
    for value in (make(), torch.randn(8, 72), FORMS["transposed"](8, 72)):
        check(compiled, Identity(), value)


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (0, 2, 1), (2, 1, 0)])
def test_dimensions_in_another_order(order, tmp_path):
    def make():
        wide = torch.randn(4, 5, 12)[:, :, :6]
        return wide.permute(order)

    class Add(torch.nn.Module):
        def forward(self, x):
            return x + 1, x.sum(-1), x.exp().transpose(0, 1)

    compiled = export(Add(), (make(),), tmp_path)
    assert expected_strides(compiled) == make().stride()
    check(compiled, Add(), make())
    check(compiled, Add(), make().contiguous())


def test_heads_of_a_product(tmp_path):
    """Queries, keys and values next to each other, as a linear layer gives them."""
    class Attention(torch.nn.Module):
        def forward(self, q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    def split():
        both = torch.randn(2, 9, 3, 4, 16)
        return tuple(both[:, :, part].transpose(1, 2) for part in range(3))

    compiled = export(Attention(), split(), tmp_path)
    assert expected_strides(compiled) == (1728, 16, 192, 1)
    check(compiled, Attention(), *split())
    check(compiled, Attention(), *(value.contiguous() for value in split()))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.int8, torch.bool, torch.complex64])
def test_element_types(dtype, tmp_path):
    def make():
        return (torch.randn(8, 96) * 20).to(dtype)[:, :72:2]

    compiled = export(Identity(), (make(),), tmp_path)
    assert expected_strides(compiled) == (96, 2)
    check(compiled, Identity(), make())
    check(compiled, Identity(), make().contiguous())


@pytest.mark.parametrize("rows, columns", [(0, 13), (5, 0), (1, 13), (5, 1), (1, 1), (5, 13)])
def test_small_sizes(rows, columns):
    strides = {"pitched": "#tc.expr<s1 + 24>, #tc.expr<1>", "stepped": "#tc.expr<s1 * 2>, #tc.expr<2>",
               "transposed": "#tc.expr<1>, #tc.expr<s0>"}
    for form, text in strides.items():
        compiled = tc.compile(f"""
func.func @main(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {{tc.strides = [{text}]}}) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    attributes {{tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]}} {{
  %0 = tc.neg %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}}""")
        assert expected_strides(compiled) is not None
        for make in (FORMS[form], torch.randn):
            x = make(rows, columns)
            torch.testing.assert_close(compiled(x), -x)


def test_numpy(tmp_path):
    compiled = export(Identity(), (FORMS["transposed"](8, 72),), tmp_path)
    x = np.asfortranarray(np.random.default_rng(0).standard_normal((8, 72), dtype=np.float32))
    np.testing.assert_array_equal(compiled(x), x)
    np.testing.assert_array_equal(compiled(np.ascontiguousarray(x)), x)
    np.testing.assert_array_equal(compiled(x[::-1, ::-1]), x[::-1, ::-1])


def test_versions(tmp_path):
    """All versions of a function take the same strides."""
    path = tmp_path / "model.pt2"
    program = torch.export.export(Identity(), (FORMS["stepped"](8, 72),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    torch.export.save(program, path)
    sizes = [str(size) for size in tc.compile(path).signature.inputs[0].shape]
    compiled = tc.compile(path, specialize=f"main:{sizes[1]}=40")
    for columns in (40, 41):
        for form in FORMS:
            check(compiled, Identity(), FORMS[form](6, columns))


def test_interpreter(tmp_path):
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(Identity(), (FORMS["pitched"](8, 72),)), path)
    compiled = tc.compile(path, device="reference")
    for form in FORMS:
        check(compiled, Identity(), FORMS[form](8, 72))


def test_input_that_is_mutated(tmp_path):
    class Double(torch.nn.Module):
        def forward(self, x):
            x.mul_(2)
            return x + 1

    compiled = export(Double(), (FORMS["pitched"](8, 72),), tmp_path)
    for form in ("pitched", "stepped", "transposed", "row_major"):
        x = FORMS[form](8, 72)
        before = x.clone()
        torch.testing.assert_close(compiled(x), before * 2 + 1)
        torch.testing.assert_close(x, before * 2)
