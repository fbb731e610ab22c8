"""Constants of the host: numbers, and tensors in graphs for a GPU.

`torch.tensor(3.0)` in a model is a number of its graph, which the compiler folds, and knows of where it fuses. A tensor
of more elements is a constant on the CPU, in a model on a GPU as well, and so is what is computed of constants alone.
Such tensors never leave the graph, so that they can as well be on its device, where they are constants of a program.
Other calls on the CPU are programs of their own (torch_partition).
"""

from __future__ import annotations

import torch
from torch import fx

from .torch_partition import is_pure, tensors_of

_aten = torch.ops.aten


def _is_on(node: fx.Node, device: torch.device) -> bool:
    tensors = tensors_of(node)
    return bool(tensors) and all(tensor.device == device for tensor in tensors)


def _is_constant_of_host(node: fx.Node, known: dict[fx.Node, None], module: fx.GraphModule) -> bool:
    """Whether a node is a constant on the CPU; those before it are `known`."""
    if node.op == "get_attr":
        value = getattr(module, node.target, None) if "." not in node.target else None
        return isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.layout is torch.strided
    return is_pure(node) and _is_on(node, torch.device("cpu")) and all(one in known for one in node.all_input_nodes)


def _find(module: fx.GraphModule, device: torch.device) -> dict[fx.Node, None]:
    """Constants on the CPU of which no result and no call on the CPU is computed but those found."""
    found: dict[fx.Node, None] = {}
    for node in module.graph.nodes:
        if _is_constant_of_host(node, found, module):
            found[node] = None

    def stays(node: fx.Node) -> bool:
        users_go = all(user in found or (user.op == "call_function" and _is_on(user, device)) for user in node.users)
        return not users_go or any(one not in found for one in node.all_input_nodes)

    while staying := [node for node in found if stays(node)]:
        for node in staying:
            del found[node]
    return found


def move_constants(module: fx.GraphModule, device: torch.device) -> None:
    """Lets constants on the CPU that are used on `device` alone be on that device."""
    if device.type == "cpu":
        return
    for node in _find(module, device):
        if node.op == "get_attr":
            setattr(module, node.target, getattr(module, node.target).to(device))
        elif "device" in node.kwargs or not node.all_input_nodes:
            node.kwargs = node.kwargs | {"device": device}
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            node.meta["val"] = value.to(device)
        elif isinstance(value, (list, tuple)):
            node.meta["val"] = type(value)(one.to(device) if isinstance(one, torch.Tensor) else one for one in value)


def write_out_numbers(module: fx.GraphModule) -> None:
    """Makes copies of constant tensors without dimensions calls that are given the number."""
    for node in module.graph.find_nodes(op="call_function", target=_aten.lift_fresh_copy.default):
        source = node.args[0]
        constant = getattr(module, source.target, None) if source.op == "get_attr" else None
        if type(constant) is not torch.Tensor or constant.dim() != 0 or constant.is_complex() or constant.layout is not torch.strided:
            continue
        with module.graph.inserting_before(node):
            number = module.graph.call_function(_aten.full.default, ([], constant.item()),
                                                {"dtype": constant.dtype, "device": constant.device})
        number.meta = dict(node.meta)
        node.replace_all_uses_with(number)
        module.graph.erase_node(node)
        if not source.users:
            module.graph.erase_node(source)
