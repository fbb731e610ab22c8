"""Checks that rivals agree, then times them in alternation."""

import copy
import statistics
import time

import torch

# Thread pools spin for some milliseconds after a call; on few cores the next
# rival would be measured against them.
PAUSE = 0.03
MEASURED_SECONDS = 0.003  # seconds of measured calls of one rival in one round, at least one call
MOST_CALLS = 50


def exact_result(module, inputs):
    """The row in f64, on the same rounded inputs and weights."""
    wide = copy.deepcopy(module).double()
    return wide(*[x.double() if x.is_floating_point() else x for x in inputs])


# The allowed root mean square error, in times that of eager: TC's own limit,
# and that of a rival, whose order of summation is its own.
TC_LIMIT, RIVAL_LIMIT = 1.1, 4


def disagreement(result, eager, exact, limit):
    """None, or how `result` is wrong: neither close to eager's result nor, in
    root mean square, within `limit` times eager's error against the exact one."""
    try:
        torch.testing.assert_close(result, eager)
        return None
    except AssertionError as error:
        message = str(error).splitlines()
    if result.shape != exact.shape or result.dtype != eager.dtype:
        return " ".join(message)
    error_of = lambda value: (value.double() - exact).square().mean().sqrt().item()
    ulp = torch.finfo(eager.dtype).eps * exact.square().mean().sqrt().item()
    if error_of(result) <= limit * error_of(eager) + 0.1 * ulp:
        return None
    return f"error {error_of(result):.3g}, eager's is {error_of(eager):.3g}"


def time_calls(call):
    """Median seconds of some calls, after one that is not counted."""
    time.sleep(PAUSE)
    call()
    seconds, begin = [], time.perf_counter()
    while not seconds or (len(seconds) < MOST_CALLS and time.perf_counter() - begin < MEASURED_SECONDS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def interleave(calls, floors, rounds, warmups=3):
    """{name: [seconds, one a round]} of the functions in `calls`."""
    for call in calls.values():
        for _ in range(warmups):
            call()
    seconds = {name: [] for name in calls}
    for _ in range(rounds):
        floors.measure()
        for name, call in calls.items():
            seconds[name].append(time_calls(call))
    return seconds
