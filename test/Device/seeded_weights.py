"""Weights that seeds stand for, so that archives of models travel without them.

reseed() gives the large parameters of a model new random values, take_out() leaves zeros where an archive has them, and restore() puts them back,
bit for bit, on the machine where the archive runs. Needs numpy alone.
"""

import json
import shutil
import zlib

import numpy

LEAST_ELEMENTS = 1024  # of a parameter that a seed is worth


def values(seed, count, low, high):
    """`count` numbers of f32 from `low` to `high`, evenly spread: the same on all machines, as each step is exact or rounds as IEEE 754 says."""
    bits = numpy.random.PCG64(seed).random_raw((count + 1) // 2).astype("<u8").view("<u4")[:count] >> 8
    return bits.astype(numpy.float32) * numpy.float32(2.0**-24) * numpy.float32(high - low) + numpy.float32(low)


def reseed(model, name):
    """Gives the large parameters in f32 of a PyTorch module values of their own mean, deviation and range; returns what values() takes for each."""
    import torch

    recipes = []
    for index, parameter in enumerate(model.parameters()):
        if parameter.dtype != torch.float32 or parameter.numel() < LEAST_ELEMENTS or not parameter.isfinite().all():
            continue
        mean, spread = parameter.mean().item(), 3**0.5 * parameter.std().item()
        low, high = max(parameter.min().item(), mean - spread), min(parameter.max().item(), mean + spread)
        if low < high:
            recipe = [zlib.crc32(f"{name}/{index}".encode()), parameter.numel(), low, high]
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(values(*recipe)).view(parameter.shape))
            recipes.append(recipe)
    return recipes


def take_out(path, recipes):
    """Leaves zeros in the archive PATH/model.pt2 for the weights of `recipes`, and says in PATH/weights.json what was where."""
    data, places = bytearray((path / "model.pt2").read_bytes()), []
    for recipe in recipes:
        content = values(*recipe).tobytes()
        offset = data.find(content)
        while offset >= 0:
            data[offset:offset + len(content)] = bytes(len(content))
            places.append([offset, *recipe])
            offset = data.find(content, offset + len(content))
    if places:
        (path / "model.pt2").write_bytes(data)
        (path / "weights.json").write_text(json.dumps(places))


def restore(path, copy):
    """The archive PATH/model.pt2 with its weights, which is the file `copy` where some were taken out."""
    if not (path / "weights.json").exists():
        return path / "model.pt2"
    shutil.copyfile(path / "model.pt2", copy)
    with copy.open("r+b") as file:
        for offset, *recipe in json.loads((path / "weights.json").read_text()):
            file.seek(offset)
            file.write(values(*recipe).tobytes())
    return copy
