"""Guards of functions that tc.compile has captured: what a miss says, and when they are compiled again."""

import logging
import warnings

import pytest

torch = pytest.importorskip("torch")
tc = pytest.importorskip("tc")
from function_calls import agrees, misses  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_gradients")

SCALE = 2.0


class Config:
    factor = 3
    name = "double"


CONFIG = Config()


@pytest.mark.parametrize("other, reason", [
    (lambda x: x.double(), "the dtype of 'x' is f64, expected f32"),
    (lambda x: x[0], "the rank of 'x' is 1, expected 2"),
    (lambda x: torch.randn(4, 9), "size 1 of 'x' is 9, expected 8"),
    (lambda x: torch.randn(8, 4).t(), "the memory order of 'x' is another, expected row-major"),
    (lambda x: torch.nn.Parameter(x), "type(x) is <class 'torch.nn.parameter.Parameter'>, expected <class 'torch.Tensor'>"),
    (lambda x: 3, "type(x) is <class 'int'>, expected <class 'torch.Tensor'>"),
    (lambda x: torch._neg_view(x), "x is no plain tensor: its memory cannot be described, or stands for other numbers"),
])
def test_a_miss_says_what_differs_in_a_tensor(other, reason):
    compiled = tc.compile(lambda x: x + 1)
    x = torch.randn(4, 8)
    compiled(x)
    assert compiled.explain_miss(x) == ""
    assert misses(compiled, other(x)) == reason


def test_strides_are_guarded():
    def function(x):
        return x * 2

    compiled = tc.compile(function)
    agrees(compiled, function, torch.randn(8, 4).t())
    assert "stride 0 of 'x' is 8, expected 1" in misses(compiled, torch.randn(4, 8))
    agrees(compiled, function, torch.randn(4, 8))
    agrees(compiled, function, torch.randn(16, 4).t()[:, :8])


def test_alignment_is_guarded():
    bytes_ = torch.zeros(64, dtype=torch.uint8)
    compiled = tc.compile(lambda x: x + 1)
    compiled(bytes_[:32].view(torch.float32))
    assert "tc.guard alignment(%t0) {divisor = 4 : i64" in compiled.guards()


@pytest.mark.parametrize("value, other, reason", [
    (3, 4, "n is 4, expected 3"), (3, 3.0, "n is 3.0, expected 3"), (True, 1, "n is 1, expected True"),
    (1.5, 2.5, "n is 2.5, expected 1.5"), (0.0, -0.0, "n is -0.0, expected 0.0"), ("a", "b", "n is 'b', expected 'a'"),
    (None, 1, "n is 1, expected None"), (1e-5, 1.0000001e-5, "n is 1.0000001e-05, expected 1e-05"),
])
def test_a_miss_says_what_differs_in_a_value(value, other, reason):
    compiled = tc.compile(lambda x, n: x + 1)
    x = torch.randn(4)
    compiled(x, value)
    assert compiled.explain_miss(x, value) == "" and misses(compiled, x, other) == reason


def test_a_float_that_is_no_number_is_equal_to_itself():
    compiled = tc.compile(lambda x, n: x * n)
    for _ in range(2):
        compiled(torch.randn(4), float("nan"))
        compiled(torch.randn(4), float("-inf"))
    assert compiled.hits == (2, 2)


def test_the_number_and_names_of_arguments_are_guarded():
    compiled = tc.compile(lambda x, y=None, *, z=None: x + 1)
    x = torch.randn(4)
    compiled(x)
    assert misses(compiled, x, x) == "the number of arguments is 2, expected 1"
    assert misses(compiled, x, z=1) == "the names of keyword arguments is ['z'], expected []"
    compiled.reset()
    compiled(x, [x, x])
    assert misses(compiled, x, [x]) == "len(y) is 1, expected 2"
    compiled.reset()
    compiled(x, {"a": x})
    assert misses(compiled, x, {"b": x}) == "list(y) is ['b'], expected ['a']"


def test_an_element_type_or_device_among_the_arguments_is_guarded():
    compiled = tc.compile(lambda x, dtype, device: x.to(dtype))
    x = torch.randn(4)
    compiled(x, torch.float64, torch.device("cpu"))
    assert "dtype is another object" in misses(compiled, x, torch.float16, torch.device("cpu"))
    assert misses(compiled, x, torch.float64, torch.device("cuda", 0)) == "device.type is 'cuda', expected 'cpu'"


def test_globals_that_the_function_reads_are_guarded(monkeypatch):
    def function(x):
        return x * SCALE + CONFIG.factor

    compiled = tc.compile(function)
    x = torch.randn(4)
    agrees(compiled, function, x)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert misses(compiled, x) == "SCALE is 5.0, expected 2.0"
    agrees(compiled, function, x)
    monkeypatch.setattr(Config, "factor", 7)
    assert "CONFIG.factor is 7, expected 3" in compiled.explain_miss(x)
    agrees(compiled, function, x)


def helper(x):
    return x + SCALE


def test_functions_that_the_function_calls_are_guarded(monkeypatch):
    compiled = tc.compile(lambda x: helper(x) * 2)
    x = torch.randn(4)
    compiled(x)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert misses(compiled, x) == "SCALE is 5.0, expected 2.0"
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "helper", lambda x: x - 1)
    assert misses(compiled, x) == "helper is another object"
    torch.testing.assert_close(compiled(x), (x - 1) * 2)


def test_variables_of_an_outer_function_are_guarded():
    scale, weight = 2.0, torch.randn(4)

    def function(x):
        return x * scale + weight

    compiled = tc.compile(function)
    x = torch.randn(4)
    agrees(compiled, function, x)
    weight.add_(1)
    agrees(compiled, function, x)
    assert compiled.entry_count == 1
    scale = 3.0
    assert misses(compiled, x) == "scale is 3.0, expected 2.0"
    agrees(compiled, function, x)
    weight = torch.randn(4)
    agrees(compiled, function, x)


def test_the_second_size_makes_a_size_dynamic():
    def function(x, y):
        return torch.relu(x) + y

    compiled = tc.compile(function)
    for size in range(2, 40, 3):
        agrees(compiled, function, torch.randn(size, 4), torch.randn(4))
    assert compiled.entry_count == 2 and "tc.guard size_range(%t0) {dim = 0 : i64, min = 2" in compiled.guards()
    assert "size 0 of 'x' is 1, expected at least 2" in compiled.explain_miss(torch.randn(1, 4), torch.randn(4))


def test_sizes_that_are_equal_are_guarded():
    compiled = tc.compile(lambda x, y: x + y, dynamic=True)
    compiled(torch.randn(5, 4), torch.randn(5, 4))
    assert compiled.explain_miss(torch.randn(7, 6), torch.randn(7, 6)) == ""
    assert "size 0 of 'y' is 8, expected 7 = " in misses(compiled, torch.randn(7, 6), torch.randn(8, 6))


def test_conditions_of_sizes_are_guarded():
    def function(x):
        return x * 2 if x.shape[0] % 4 == 0 else x * 3 if x.shape[0] > 10 else x

    compiled = tc.compile(function, dynamic=True)
    for size in (8, 5, 11, 12, 16, 7, 13):
        agrees(compiled, function, torch.randn(size, 4))
    assert compiled.entry_count == 3 and " mod 4)>, min = 0 : i64, max = 0 : i64, origin = " in compiled.guards()
    assert __file__ in compiled.guards()


def test_sizes_are_never_dynamic_where_the_user_says_so():
    compiled = tc.compile(lambda x: x + 1, dynamic=False)
    for size in (4, 5, 6):
        compiled(torch.randn(size))
    assert compiled.entry_count == 3


def test_a_size_that_is_marked_is_dynamic_at_once():
    compiled = tc.compile(lambda x: x + 1)
    x = torch.randn(4, 8)
    torch._dynamo.mark_dynamic(x, 0)
    compiled(x)
    assert compiled.explain_miss(torch.randn(9, 8)) == "" and compiled.explain_miss(torch.randn(4, 9))


def test_the_limit_of_recompiles_is_loud():
    def function(x, n):
        return x * n

    compiled = tc.compile(function, recompile_limit=2)
    x = torch.randn(4)
    for n in (0.5, 1.5):
        compiled(x, n)
    with pytest.warns(RuntimeWarning, match="function was compiled 2 times, which is the limit") as warned:
        torch.testing.assert_close(compiled(x, 2.5), x * 2.5)
    assert "entry 1: n is 2.5, expected 1.5" in str(warned[0].message) and warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(x, 3.5)
    assert compiled.entry_count == 2
    strict = tc.compile(function, recompile_limit=1, on_recompile_limit="error")
    strict(x, 1.5)
    with pytest.raises(tc.RecompileLimit, match="n is 2.5, expected 1.5"):
        strict(x, 2.5)
    strict(x, 1.5)


def test_recompiles_are_logged(caplog):
    compiled = tc.compile(lambda x, n: x * n)
    with caplog.at_level(logging.INFO, "tc.recompiles"):
        compiled(torch.randn(4), 1.5)
        assert not caplog.records
        compiled(torch.randn(4), 2.5)
    assert "entry 0: n is 2.5, expected 1.5" in caplog.records[-1].getMessage()


@pytest.mark.host
def test_autocast_is_guarded():
    model = torch.nn.Linear(4, 4)
    compiled = tc.compile(model)
    x = torch.randn(3, 4)
    assert compiled(x).dtype == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        assert compiled(x).dtype == torch.bfloat16
    assert compiled(x).dtype == torch.float32 and compiled.entry_count == 2


def test_the_default_element_type_is_guarded():
    compiled = tc.compile(lambda x: x + torch.ones(4))
    x = torch.arange(4)
    assert compiled(x).dtype == torch.float32
    try:
        torch.set_default_dtype(torch.float64)
        assert compiled(x).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_guards_are_read_by_tc_as_a_module():
    compiled = tc.compile(lambda x: x + SCALE, dynamic=True)
    compiled(torch.randn(6, 4).t())
    text = compiled.guards()
    assert "tc.guard scalar() {value = 2.000000e+00 : f64, origin = \"SCALE\"}" in text
    assert "tc.guard" in tc.compile(text, compile_to="import").ir()
