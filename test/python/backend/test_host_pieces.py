"""Graphs for CUDA with calls on the CPU: pieces for each, and copies between them.

The graphs are traced with fake tensors of CUDA. To compare values, all of a split graph is then run on the CPU.
"""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tc")
from tc import torch_backend, torch_refusals  # noqa: E402
from tc.torch_decompositions import decompositions  # noqa: E402
from tc.torch_graph import write_graph  # noqa: E402
from tc.torch_mutations import take_mutations  # noqa: E402
from tc.torch_partition import split_graph  # noqa: E402
from torch._subclasses import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.fx.experimental.symbolic_shapes import ShapeEnv  # noqa: E402

import tc  # noqa: E402

aten = torch.ops.aten
HOST, CUDA = torch.device("cpu"), torch.device("cuda:0")
X, Y = torch.randn(4, 5), torch.randn(4, 5)


class Splits:
    """A function of tensors, of which the first `on_cuda` are on CUDA, as a graph for CUDA that is split."""

    def __init__(self, function, *inputs, on_cuda=1):
        self.function, self.inputs = function, inputs
        places = [CUDA if number < on_cuda else HOST for number in range(len(inputs))]
        with FakeTensorMode(shape_env=ShapeEnv()):
            fake = [torch.empty(one.shape, dtype=one.dtype, device=place) for one, place in zip(inputs, places)]
            self.module = make_fx(function, decomposition_table=decompositions())(*fake)
        self.module.graph.eliminate_dead_code()
        self.is_whole = torch_backend._is_whole(self.module)
        self.module, self.mutations = take_mutations(self.module)
        reasons = {node: torch_refusals.why_refused(node, CUDA) for node in self.module.graph.nodes if node.op == "call_function"}
        self.refused = {node: reason for node, reason in reasons.items() if reason}
        self.split = split_graph(self.module, self.refused, CUDA)
        self.devices = [piece.device for piece in self.split.pieces]
        #: What the driver copies to another device, and to which.
        self.copies = [(node.args[0].name, node.kwargs["device"]) for node in self.split.graph.find_nodes(
            op="call_function", target=aten._to_copy.default)]

    def check(self):
        """Compares all on the CPU."""
        for piece in self.split.pieces:
            tensors = [node.meta["val"] for node in piece.module.graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)]
            assert {tensor.device for tensor in tensors} == {piece.device}
        programs = [tc.compile(write_graph(piece.module), returns="torch") for piece in self.split.pieces]
        for node in self.split.graph.nodes:
            if "device" in node.kwargs:
                node.update_kwarg("device", HOST)
        run = self.mutations.add_to(torch_backend._boxed(self.split.link(self.module, programs)))
        given, expected = ([one.clone() for one in self.inputs] for _ in range(2))
        results, wanted = run(list(given)), self.function(*expected)
        torch.testing.assert_close([*results, *given], [*wanted, *expected])
        return self


def triangle(x):
    places = torch.tril_indices(4, 5, -1)
    return aten.index(x, [places.select(0, 0), places.select(0, 1)]), places, aten.relu(x)


def test_what_is_on_the_host_is_a_piece_of_its_own():
    made = Splits(triangle, X).check()
    assert not made.refused and made.devices == [HOST, CUDA]


def test_a_view_is_copied_rather_than_the_memory_that_it_is_of():
    assert Splits(triangle, X).copies == [("select", CUDA), ("select_1", CUDA)]


def test_indices_and_numbers_of_the_host_are_copied():
    made = Splits(lambda x, places, value: (aten.index_put(aten.exp(x), [places], value), aten.index(x, [places])),
                  X, torch.tensor([0, 2]), torch.tensor(3.0)).check()
    assert not made.refused and made.devices == [CUDA] and made.copies == [("places_1", CUDA), ("value_1", CUDA)]


def test_numbers_of_the_host_are_bounds_of_slices():
    def blocks(x):
        ends, starts = torch.tensor([1, 4]).cumsum(0), torch.tensor([0, 1]).cumsum(0)
        for number in range(2):
            start, end = (aten._local_scalar_dense(one.select(0, number)) for one in (starts, ends))
            rows = aten.fill(aten.slice(x, 0, start, end), number + 1)
            x = aten.slice_scatter(x, rows, 0, start, end)
        return x, aten.neg(x)

    made = Splits(blocks, X).check()
    assert not made.refused and made.devices == [HOST, CUDA] and len(made.copies) == 4


def test_numbers_of_either_device_are_given_to_the_other():
    def scaled(x, y):
        factor = aten._local_scalar_dense(aten.select(aten.select(aten.mul(x, 2.0), 0, 0), 0, 1).to(torch.int64))
        return y * factor, aten.mul(x, aten._local_scalar_dense(y.to(torch.int64).select(0, 1).select(0, 2)))

    made = Splits(scaled, X * 10, Y * 10).check()
    assert not made.refused and made.devices == [HOST, CUDA, HOST]
    assert [device for _, device in made.copies] == [CUDA, HOST]


def test_sizes_of_the_host_are_those_of_tensors_on_the_device():
    made = Splits(lambda x, mask: (aten.mul(aten.index(x, [mask.nonzero().squeeze(1)]), 2.0),), X,
                  torch.tensor([True, False, True, True])).check()
    assert made.devices == [HOST, CUDA] and made.copies == [("squeeze", CUDA)]


def test_a_tensor_of_which_the_device_needs_a_size_is_not_copied():
    def function(x, mask):
        count = mask.nonzero().shape[0]
        return (aten.mul(aten.expand(aten.select(x, 0, 0), [count, 5]), 2.0),)

    made = Splits(function, X, torch.tensor([True, False, True, True])).check()
    assert not made.refused and made.devices == [HOST, CUDA] and not made.copies


def test_a_copy_from_the_host_is_made_once_for_all_pieces():
    def function(x, factor):
        return (aten.add(torch.special.airy_ai(aten.mul(x, factor)), factor),)

    made = Splits(function, X, torch.tensor(2.0)).check()
    assert made.devices == [CUDA, CUDA] and made.copies == [("factor_1", CUDA)]


def test_the_driver_waits_for_copies_that_the_graph_reads():
    def function(x):
        read, given = (aten._to_copy(aten.mul(x, factor), device="cpu", non_blocking=True) for factor in (2.0, 3.0))
        return read + 1, given

    made = Splits(function, X)
    copies = made.split.graph.find_nodes(op="call_function", target=aten._to_copy.default)
    assert [copy.kwargs["non_blocking"] for copy in copies] == [False, True] and not made.refused
    assert made.check().devices == [CUDA, HOST]


def test_tensors_are_copied_into_those_of_another_device():
    made = Splits(lambda x, y: (aten.exp(aten.copy(x, y)), aten.copy(y, aten.exp(x)) + 1), X, Y).check()
    assert not made.refused and made.copies == [("y_1", CUDA), ("getitem_1", HOST)]


def test_inputs_on_the_host_are_written():
    def step(x, count):
        after = count + 1
        result = aten.div(x, after)
        count.copy_(after)
        return (result,)

    made = Splits(step, X, torch.tensor(3.0)).check()
    assert not made.refused and made.devices == [HOST, CUDA] and made.mutations.inputs == [1]


def test_random_numbers_of_the_host_are_a_program_of_the_host():
    made = Splits(lambda x: (aten.relu(x), torch.rand(3)), X)
    assert [(piece.device, piece.is_random) for piece in made.split.pieces] == [(HOST, True), (CUDA, False)]


def test_refusals_name_the_device_of_the_call():
    made = Splits(lambda x: (aten.zeros_like(x, device="cpu"), aten.full([3], 1.0, device="cuda:1")), X)
    reasons = {str(node.target): reason for node, reason in made.refused.items()}
    assert reasons["aten.zeros_like.default"] == "a tensor on cuda:0 in a call on cpu"
    assert reasons["aten.full.default"] == "a tensor on cuda:1 in a graph for cuda:0"


def test_what_is_saved_is_packed_where_all_is_one_program():
    assert Splits(lambda x: (aten.relu(x),), X).is_whole
    assert not Splits(triangle, X).is_whole
    assert not Splits(lambda x: (aten.relu(x), aten._to_copy(x, device="cpu")), X).is_whole


def test_gradients_on_the_host_have_memory_of_their_own():
    compiler = torch_backend._Compiler(torch_backend.read_settings("reduce-overhead", None))
    on_cuda, on_host = Splits(lambda x: (aten.relu(x),), X), Splits(lambda x, y: (x, aten.relu(y)), X, Y)
    assert compiler.is_joint("backward", on_cuda.split) and not compiler.is_joint("backward", on_host.split)
