#!/usr/bin/env python3
"""Times the gradients of attention on a CUDA device next to PyTorch.

TC's program is the exported aten._scaled_dot_product_flash_attention_backward: the
sums of rows of the gradient times the result, one kernel for all three gradients, and
the gradient of the queries in their type. PyTorch's is the backward function of
scaled_dot_product_attention with the backend that it picks, called by
torch.autograd.grad. Both run in one process, alternately, on the same tensors; each
gradient is compared with that in f64 before, and has to be the same in a second call.
Writes PREFIX.json and PREFIX.md.
"""

import argparse
import json
import os
import shlex
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(path) for path in (ROOT / "build/python", ROOT / "python") if (path / "tc").is_dir()]

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import gpu_measure  # noqa: E402

# Batch, heads, heads of keys, tokens, size of a head, whether it is causal.
CASES = ((4, 16, 16, 4096, 128, True), (4, 16, 16, 4096, 128, False), (2, 16, 16, 512, 128, True), (4, 16, 16, 4096, 64, True),
         (4, 16, 16, 4096, 64, False), (8, 12, 12, 1024, 64, True), (4, 32, 8, 2048, 128, True))
MOST_EXACT_SCORES = 1 << 30  # that the gradients in f64 are computed of at a time


def name_of(case):
    batch, heads, key_heads, tokens, size, causal = case
    shared = f" on {key_heads} heads" if key_heads != heads else ""
    return f"attention backward {'causal' if causal else 'full'} {batch}x{heads}x{tokens}x{size}{shared} bf16"


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench attention-backward --device=cuda", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    gpu_measure.add_cache_option(parser)
    parser.add_argument("--rounds", type=int, default=30, help="default %(default)s")
    parser.add_argument("--out", default=str(ROOT / "benchmarks/results/cuda_attention_backward"), metavar="PREFIX",
                        help="default benchmarks/results/cuda_attention_backward")
    return parser.parse_args(arguments)


class Backward(torch.nn.Module):
    def __init__(self, tokens, causal):
        super().__init__()
        self.tokens, self.causal = tokens, causal

    def forward(self, grad, query, key, value, out, logsumexp):
        seed = torch.zeros((), dtype=torch.int64)
        return torch.ops.aten._scaled_dot_product_flash_attention_backward(
            grad, query, key, value, out, logsumexp, None, None, self.tokens, self.tokens, 0.0, self.causal, seed, seed)


def attend(query, key, value, causal):
    """The result and the logarithms of the sums, as written in the formula."""
    ratio = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(ratio, 1), value.repeat_interleave(ratio, 1)
    scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], device=scores.device, dtype=torch.bool).triu(1), float("-inf"))
    return torch.softmax(scores, -1) @ value, torch.logsumexp(scores, -1)


def exact_results(grad, inputs, causal):
    """(the logarithms, the gradients) in f64, of a few batch points and heads of keys at a time."""
    query, key, _ = inputs
    ratio = query.shape[1] // key.shape[1]
    parts = []
    step = max(1, MOST_EXACT_SCORES // (ratio * query.shape[2] * key.shape[2]))
    for batch in range(query.shape[0]):
        for head in range(0, key.shape[1], step):
            own, shared = slice(head * ratio, (head + step) * ratio), slice(head, head + step)
            wide = [value[batch:batch + 1, where].double().requires_grad_()
                    for value, where in zip(inputs, (own, shared, shared), strict=True)]
            result, sums = attend(*wide, causal)
            parts.append((batch, sums.detach(), *torch.autograd.grad(result, wide, grad[batch:batch + 1, own].double())))
    whole = [torch.cat([torch.cat([part[index] for part in parts if part[0] == batch], 1) for batch in range(query.shape[0])])
             for index in range(1, 5)]
    return whole[0], whole[1:]


def rms(values, exact):
    return (values.double() - exact).square().mean().sqrt().item()


def measure(case, options, directory, flush):
    import tc
    from tc.arrays import to_array
    batch, heads, key_heads, tokens, size, causal = case
    torch.manual_seed(0)

    def random(count):
        return torch.randn(batch, count, tokens, size, device="cuda").to(torch.bfloat16)
    grad, query, key, value = random(heads), random(heads), random(key_heads), random(key_heads)
    logsumexp, exact = exact_results(grad, (query, key, value), causal)
    leaves = [one.clone().requires_grad_() for one in (query, key, value)]
    out = F.scaled_dot_product_attention(*leaves, is_causal=causal, enable_gqa=heads != key_heads)
    arguments = (grad, query, key, value, out.detach(), logsumexp.float())
    path = os.path.join(directory, "backward.pt2")
    small = tuple(torch.empty(one.shape, dtype=one.dtype) for one in arguments)
    torch.export.save(torch.export.export(Backward(tokens, causal), small), path)
    begin = time.perf_counter()
    compiled = tc.compile(path, device="cuda", libraries="")
    seconds = time.perf_counter() - begin
    arrays = [to_array(one) for one in arguments]
    calls = {"tc": lambda: compiled.call_arrays(arrays),
             "eager": lambda: torch.autograd.grad(out, leaves, grad, retain_graph=True)}
    results = {name: [one if torch.is_tensor(one) else torch.from_dlpack(one) for one in call()] for name, call in calls.items()}
    again = [torch.from_dlpack(one) for one in calls["tc"]()]
    errors = {name: [rms(one, right) for one, right in zip(all_three, exact, strict=True)] for name, all_three in results.items()}
    entry = {"name": name_of(case), "errors": errors, "compile_seconds": seconds,
             "schedules": [kernel.schedule for kernel in compiled.kernels],
             "is_repeatable": all(torch.equal(one, other) for one, other in zip(results["tc"], again, strict=True)),
             "agrees": all(own <= 1.1 * other for own, other in zip(errors["tc"], errors["eager"], strict=True))}
    del results, again, exact
    single, _ = gpu_measure.interleave(calls, flush, options.rounds, measures_warm=False)
    entry["microseconds"] = {name: statistics.median(times) * 1e6 for name, times in single.items()}
    pairs = batch * heads * (tokens * (tokens + 1) // 2 if causal else tokens * tokens)
    entry["tflops"] = {name: 5 * 2 * pairs * size / us / 1e6 for name, us in entry["microseconds"].items()}
    return entry


def line(entry):
    us, tflops, errors = entry["microseconds"], entry["tflops"], entry["errors"]
    worst = max(own / other for own, other in zip(errors["tc"], errors["eager"], strict=True))
    verdict = "agrees" if entry["agrees"] else "DISAGREES"
    if not entry["is_repeatable"]:
        verdict += ", NOT REPEATABLE"
    return (f"| {entry['name']} | {verdict} | {worst:.2f} | {us['tc']:.1f} | {us['eager']:.1f} | "
            f"{us['eager'] / us['tc']:.3f} | {tflops['tc']:.0f} | {tflops['eager']:.0f} |")


def main(arguments):
    options = parse_options(arguments)
    if not torch.cuda.is_available():
        print("error: torch finds no CUDA device")
        return 1
    from gpu_floors import make_flush
    torch.zeros(1, device="cuda")  # makes the device's context current
    flush, entries = make_flush(options.cache), []
    header = ["| gradients | result | largest RMS error, of eager's | TC, us | eager, us | eager / TC | TC, TFLOP/s | eager, TFLOP/s |",
              "|---|---|---|---|---|---|---|---|"]
    print("\n".join(header), flush=True)
    with tempfile.TemporaryDirectory() as directory:
        for case in CASES:
            entries.append(measure(case, options, directory, flush))
            print(line(entries[-1]), flush=True)
            torch.cuda.empty_cache()
    context = {"date": time.strftime("%Y-%m-%d"), "device": torch.cuda.get_device_name(), "torch": torch.__version__,
               "command": "./dev bench attention-backward --device=cuda " + shlex.join(arguments)}
    text = [f"{context['date']}, {context['device']}, PyTorch {context['torch']}, `{context['command'].strip()}`: medians of "
            f"{options.rounds} alternating single calls {gpu_measure.CACHES[options.cache]}.", "", *header, *map(line, entries)]
    Path(options.out + ".md").write_text("\n".join(text) + "\n")
    Path(options.out + ".json").write_text(json.dumps({"context": context, "benchmarks": entries}, indent=1) + "\n")
    return 0 if all(entry["agrees"] and entry["is_repeatable"] for entry in entries) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
