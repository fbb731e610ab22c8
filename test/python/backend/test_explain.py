"""tc.explain and tc.generated_code: what they say is what is there."""

import json
import re
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
import numpy as np  # noqa: E402

import tc  # noqa: E402
from tc.explain_programs import evaluate  # noqa: E402
from tc.torch_backend import backend  # noqa: E402

HERE = Path(__file__)
RELU = """func.func @main(%x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>) -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100>]} {
  %y = tc.relu %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
  return %y : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
}"""


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def line_of(function, text):
    """FILE:LINE of the first line of a function that has a text."""
    lines = HERE.read_text().splitlines()
    first = function.__code__.co_firstlineno
    return f"{HERE}:{next(number for number in range(first, len(lines)) if text in lines[number - 1])}"


# Graph breaks, each with the same computation as the remedy says.


def prints(x):
    y = x + 1
    print("between")
    return y * 2


def prints_nothing(x):
    return (x + 1) * 2


def takes_item(x):
    total = x.sum().item()
    return x * total


def keeps_tensor(x):
    return x * x.sum()


def calls_numpy(x):
    y = x * 2
    z = torch.from_numpy(np.interp(y.numpy(force=True), [0, 1], [0, 1]))
    return z + 1


def calls_torch(x):
    return (x * 2).clamp(0, 1) + 1


def branches(x):
    y = x + 1
    if y.sum() > 0:
        return y * 2
    return y - 1


def chooses(x):
    y = x + 1
    return torch.where(y.sum() > 0, y * 2, y - 1)


def builds_list(x):
    rows = [x + i for i in range(int(x.abs().sum()) + 1)]
    return rows[0] * 2


def selects(x):
    y = x * 2
    return y[y > 0].sum()


def masks(x):
    y = x * 2
    return torch.where(y > 0, y, 0).sum()


def calls_library(x):
    y = x + 1
    time.sleep(0)
    return y * 2


@torch.library.custom_op("tc_test_explain::waits", mutates_args=())
def waits(x: torch.Tensor) -> torch.Tensor:
    time.sleep(0)
    return x.clone()


@waits.register_fake
def _(x):
    return torch.empty_like(x)


def calls_operator(x):
    return waits(x + 1) * 2


@pytest.mark.parametrize("function, text, kind, remedy, remedied", [
    (prints, "print(", "print", "reorderable_logging_functions", prints_nothing),
    (takes_item, ".item()", "item", "leave .item() out", keeps_tensor),
    (calls_numpy, "np.interp", "numpy", "PyTorch's function in the place of NumPy's", calls_torch),
    (branches, "if y.sum()", "data-dependent branch", "torch.where", chooses),
    (builds_list, "range(", "data-dependent list", "mask", None),
    (selects, "y[y > 0]", "data-dependent list", "torch.where(mask, x, 0)", masks),
    (calls_library, "time.sleep", "unsupported call", "torch.library.custom_op", calls_operator),
], ids=lambda value: value if isinstance(value, str) and " " not in value else "")
def test_a_break_has_its_line_and_a_remedy_that_helps(function, text, kind, remedy, remedied):
    x = torch.rand(4)
    (found,) = tc.explain(function, x, measured_rounds=0).breaks
    assert (found.kind, found.line) == (kind, line_of(function, text))
    assert text in found.code and remedy in found.remedy and found.cause
    if remedied:
        assert not tc.explain(remedied, x, measured_rounds=0).breaks
        torch.testing.assert_close(remedied(x), function(x), check_dtype=False, check_device=False)


def test_printing_after_the_graph_as_the_remedy_says():
    with torch._dynamo.config.patch(reorderable_logging_functions={print}):
        explanation = tc.explain(prints, torch.rand(4), measured_rounds=0)
    assert not explanation.breaks and len(explanation.graphs) == 1


def test_a_break_for_which_a_whole_function_is_given_up():
    def loop(x):
        for _ in range(2):
            x = x + 1
            print("in the loop")
        return x

    (found,) = tc.explain(loop, torch.rand(4), measured_rounds=0).breaks
    assert found.is_function_given_up and "PyTorch runs the whole function" in str(found)


def test_a_break_in_a_library_is_at_the_users_line():
    def dumps(x):
        return x * len(json.dumps({"a": [1, 2]}, indent=1))

    found = tc.explain(dumps, torch.rand(4), measured_rounds=0).breaks
    assert {one.line for one in found} == {line_of(dumps, "json.dumps")}


def chain(x, w):
    y = torch.relu(x @ w)
    z = torch.softmax(y, -1)
    return z.sum(0) + 1


def test_kernels_and_what_is_in_them():
    x, w = torch.rand(30, 64), torch.rand(64, 32)
    explanation = tc.explain(chain, x, w, measured_rounds=0)
    (graph,) = explanation.graphs
    (program,) = graph.programs
    assert [kernel.kernel_class for kernel in program.kernels] == ["contraction", "row_reduction"]
    product, softmax = program.kernels
    first, second, third = (line_of(chain, text) for text in ("relu", "softmax", "return"))
    assert [(call.operator, call.line) for call in product.calls] == [("aten.mm.default", first), ("aten.relu.default", first)]
    assert {(call.operator, call.line) for call in softmax.calls} == {
        ("aten._softmax.default", second), ("aten.sum.dim_IntList", third), ("aten.add.Tensor", third)}
    assert product.sources == ["input 0", "input 1"] and softmax.sources == ["kernel 0"] and program.results == ["kernel 1"]
    assert any("a contraction's tile does not hold whole rows" in one.text and one.line == first for one in program.not_fused)
    assert any(one.text == "fused 'softmax' into 'sum'" for one in program.fused)
    sizes = {"x": 30 * 64, "w": 64 * 32, "y": 30 * 32, "row": 32}
    assert (product.bytes_read, product.bytes_written) == (4 * (sizes["x"] + sizes["w"]), 4 * sizes["y"])
    assert program.bytes_before == 4 * (sizes["x"] + sizes["w"] + 6 * sizes["y"] + 3 * sizes["row"])
    assert program.bytes_after == 4 * (sizes["x"] + sizes["w"] + 2 * sizes["y"] + sizes["row"])
    assert program.memory.buffers == 1 and program.memory.planned == program.memory.peak == program.memory.arena == 4 * sizes["y"]
    assert set(tc.phases) < set(program.phases)
    assert any("check_tensor(L['x']" in guard.condition and "size=[30, 64]" in guard.condition for guard in explanation.guards)


def test_figures_of_symbolic_sizes_are_those_of_the_call():
    x = torch.rand(5, 64)
    torch._dynamo.mark_dynamic(x, 0)
    (graph,) = tc.explain(lambda x: torch.softmax(x, -1).exp() * 2, x, measured_rounds=0).graphs
    (program,) = graph.programs
    assert list(program.sizes.values()) == [5]
    assert program.bytes_after == 2 * 4 * 5 * 64
    assert any(">= 2" in guard for guard in program.guards)


def test_expressions_of_sizes():
    assert evaluate("((s0 * s1 + 15) floordiv 16) * 64", {"s0": 3, "s1": 7}) == 128
    assert evaluate("max(s0, 4) mod 3 + min(s0, 1)", {"s0": 2}) == 2
    assert evaluate("s0 * 4", {}) == "s0 * 4"


def test_calls_that_fall_back():
    explanation = tc.explain(lambda x: torch.linalg.eigvals(x).abs() + x.sum(), torch.eye(3), measured_rounds=0)
    (graph,) = explanation.graphs
    (refusal,) = graph.fallbacks
    assert refusal.operator == "aten.linalg_eig.default" and str(HERE) in refusal.line
    assert f"PyTorch runs {refusal}" in str(explanation)


def test_training_has_a_graph_each_way():
    layer = torch.nn.Linear(4, 4)
    explanation = tc.explain(lambda x: layer(x).square().sum(), torch.rand(2, 4), measured_rounds=0)
    assert [graph.kind for graph in explanation.graphs] == ["forward", "backward"]
    assert all(program.kernels for graph in explanation.graphs for program in graph.programs)
    assert layer.weight.grad is None


def test_break_even_is_measured():
    explanation = tc.explain(chain, torch.rand(30, 64), torch.rand(64, 32), measured_rounds=3)
    found = explanation.break_even
    assert found.rounds == 3 and min(found.eager_seconds, found.compiled_seconds, found.compile_seconds) > 0
    assert (found.calls is None) == (found.eager_seconds <= found.compiled_seconds)
    if found.calls is not None:
        saved = found.eager_seconds - found.compiled_seconds
        assert (found.calls - 1) * saved <= found.compile_seconds <= found.calls * saved
    assert "medians of 3" in str(explanation)


def test_random_numbers_go_on_as_if_nothing_was_explained():
    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    tc.explain(lambda x: torch.dropout(x, 0.5, True), torch.rand(2, device="cpu", generator=torch.Generator()), measured_rounds=1)
    assert torch.equal(torch.rand(2), wanted)


def test_what_torch_compile_gave_is_explained_as_the_function():
    compiled = torch.compile(chain, backend=backend)
    explanation = tc.explain(compiled, torch.rand(30, 64), torch.rand(64, 32), measured_rounds=0)
    assert explanation.name == "chain" and len(explanation.graphs) == 1
    module = torch.compile(torch.nn.Linear(4, 4), backend=backend)
    assert tc.explain(module, torch.rand(2, 4), measured_rounds=0).name == "Linear"


def test_json_has_all_fields():
    explanation = tc.explain(branches, torch.rand(4), measured_rounds=1)
    data = json.loads(explanation.json())
    assert data["breaks"][0]["kind"] == "data-dependent branch"
    assert data["graphs"][0]["programs"][0]["kernels"][0]["kernel_class"] == "row_reduction"
    assert data["break_even"]["rounds"] == 1


def rectangles(svg):
    return [tuple(float(one.get(name)) for name in ("x", "y", "width", "height")) for one in svg.iter("{http://www.w3.org/2000/svg}rect")]


def test_the_page_is_one_file_with_a_picture(tmp_path):
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()

    def encoder(x):
        return layer(layer(x)) @ x.mT

    with torch.no_grad():
        explanation = tc.explain(encoder, torch.rand(2, 5, 16), measured_rounds=1)
    explanation.html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"(?:src|href)=|url\(|@import|<script", page)
    (program,) = explanation.graphs[0].programs
    (text,) = re.findall(r"<svg.*?</svg>", page, re.S)
    svg = ElementTree.fromstring(text)
    boxes = rectangles(svg)
    assert len(boxes) > len(program.kernels)
    width, height = float(svg.get("width")), float(svg.get("height"))
    for number, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x and x + w <= width and 0 <= y and y + h <= height
        for other_x, other_y, _, _ in boxes[:number]:
            assert abs(other_x - x) >= w or abs(other_y - y) >= h
    for kernel in program.kernels:
        assert kernel.name in text or kernel.name[:27] in text


def test_the_page_escapes_what_the_user_wrote(tmp_path):
    explanation = tc.explain(branches, torch.rand(4), measured_rounds=0)
    explanation.name = "<b>&"
    explanation.html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>&lt;b&gt;&amp;</h1>" in page and "y.sum() &gt; 0" in page


def test_a_program_of_tc_compile():
    program = tc.compile(RELU)
    explanation = tc.explain(program, np.zeros((7, 3), np.float32))
    (graph,) = explanation.graphs
    assert graph.programs[0].bytes_after == 2 * 7 * 3 * 4 and graph.kind == "program"
    assert "reads s0 * 12 bytes" in str(tc.explain(program))


def test_generated_code(default_device):
    x, w = torch.rand(30, 64), torch.rand(64, 32)
    (code,) = tc.generated_code(chain, x, w)
    assert "tc.kernel" in code.mlir["fuse"] and "target datalayout" in code.llvm
    assert (".text" if default_device == "cpu" else ".entry") in code.assembly
    assert str(code) == code.assembly and "main" in repr(code)
    (alone,) = tc.generated_code(code.compiled)
    assert alone.llvm == code.llvm


def test_generated_code_of_a_gpu_without_one():
    (code,) = tc.generated_code(tc.compile(RELU, target="cuda:sm_90a", compile_to="emit"))
    assert ".target sm_90a" in code.assembly


def test_code_of_an_unknown_kind():
    with pytest.raises(tc.Error, match="there is no code of kind 'bitcode', expected llvm or assembly"):
        tc.compile(RELU).code("bitcode")
