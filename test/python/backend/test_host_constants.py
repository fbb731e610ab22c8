"""Constants of the host in graphs for a device; `meta` stands for it, which every machine has."""

import pytest

torch = pytest.importorskip("torch")
from tc.torch_host_constants import move_constants  # noqa: E402
from torch import fx  # noqa: E402

aten = torch.ops.aten
HOST, DEVICE = torch.device("cpu"), torch.device("meta")


class Graph:
    """A graph that is made call by call, with the tensors of each as the capture has them."""

    def __init__(self):
        self.graph, self.root = fx.Graph(), torch.nn.Module()

    def input(self, name, device):
        node = self.graph.placeholder(name)
        node.meta["val"] = torch.empty(3, device=device)
        return node

    def constant(self, value):
        self.root.constant = torch.tensor(value)
        node = self.graph.get_attr("constant")
        return self.call(aten.lift_fresh_copy.default, node)

    def call(self, target, *arguments, **named):
        node = self.graph.call_function(target, arguments, named)
        on_device = [one for one in arguments if isinstance(one, fx.Node) and one.op != "get_attr" and one.meta["val"].device == DEVICE]
        node.meta["val"] = torch.empty(3, device=DEVICE if on_device else named.get("device", HOST))
        return node

    def move(self, *results):
        self.graph.output(results)
        module = fx.GraphModule(self.root, self.graph)
        move_constants(module, DEVICE)
        return module


def device_of(node):
    return node.meta["val"].device


def test_what_is_used_on_the_device_is_there():
    made = Graph()
    constant = made.constant(3.0)
    negative = made.call(aten.neg.default, constant)
    module = made.move(made.call(aten.mul.Tensor, made.input("x", DEVICE), negative))
    assert device_of(constant) == device_of(negative) == module.constant.device == DEVICE


def test_new_tensors_are_made_there():
    made = Graph()
    places = made.call(aten.tril_indices.default, 3, 3, device=HOST)
    made.move(made.call(aten.add.Tensor, made.input("x", DEVICE), places))
    assert places.kwargs["device"] == device_of(places) == DEVICE


def test_results_stay():
    made = Graph()
    constant = made.constant(3.0)
    negative = made.call(aten.neg.default, constant)
    module = made.move(made.call(aten.mul.Tensor, made.input("x", DEVICE), constant), negative)
    assert device_of(constant) == device_of(negative) == module.constant.device == HOST


def test_what_meets_inputs_of_the_host_stays():
    made = Graph()
    constant = made.constant(3.0)
    both = made.call(aten.mul.Tensor, made.input("y", HOST), constant)
    made.move(made.call(aten.mul.Tensor, made.input("x", DEVICE), both))
    assert device_of(constant) == device_of(both) == HOST


def test_random_numbers_stay():
    made = Graph()
    numbers = made.call(aten.rand.default, [3], device=HOST)
    made.move(made.call(aten.mul.Tensor, made.input("x", DEVICE), numbers))
    assert device_of(numbers) == HOST


def test_graphs_for_the_host_are_as_they_were():
    made = Graph()
    constant = made.constant(3.0)
    made.graph.output(made.call(aten.mul.Tensor, made.input("x", HOST), constant))
    module = fx.GraphModule(made.root, made.graph)
    before = str(module.graph)
    move_constants(module, HOST)
    assert str(module.graph) == before and module.constant.device == HOST
