"""Times of calls on a CUDA device.

Single: one call, the time between two events around it; CACHES says what it finds
in the second-level cache. The device first spins for a while, so that the call
has been given to it before the first event is reached and no time of the host is
part of it. Where the host was later than that, the call is timed again after a
longer spin, a few times at most: a call that waits for the device is always late.
Warm: calls one after the other without waiting, wall time of one.
"""

import time

import torch

SPIN_CYCLES = (400_000, 800_000, 1_600_000, 3_200_000)  # of each attempt; some 0.2 ms and more
MEASURED_SECONDS = 0.004  # wall time of the warm calls of one rival in one round
MOST_CALLS = 64
# What a single call finds in the second-level cache, as reports say it.
CACHES = {"cold": "after the second-level cache was emptied by reading",
          "warm": "with what the calls before them have left in the second-level cache"}


def add_cache_option(parser):
    parser.add_argument("--cache", choices=list(CACHES), default="cold",
                        help="cold: single calls after the second-level cache was emptied, the default; "
                             "warm: single calls alone, with what those before them have left there")


def time_single(call, flush):
    """Seconds of one call on the device, after the kernel that `flush` starts."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for cycles in SPIN_CYCLES:
        torch.cuda.synchronize()
        torch.cuda._sleep(cycles)
        flush()
        begin.record()
        result = call()  # kept until after the second event: freeing is not part of it
        end.record()
        host_was_late = begin.query()
        end.synchronize()
        del result
        if not host_was_late:
            break
    return begin.elapsed_time(end) * 1e-3


def time_warm(call, calls):
    """Wall seconds of one of `calls` calls in a row."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / calls


def _number_of_calls(call):
    seconds = time_warm(call, 2)
    return max(2, min(MOST_CALLS, int(MEASURED_SECONDS / seconds)))


def interleave(calls, flush, rounds, warmups=5, measures_warm=True):
    """({name: [seconds of a single call, one a round]}, {name: [warm seconds]}); the
    order of the calls changes from round to round."""
    counts = {}
    for name, call in calls.items():
        for _ in range(warmups):
            call()
        counts[name] = _number_of_calls(call) if measures_warm else 0
    single, warm = {name: [] for name in calls}, {name: [] for name in calls}
    names = list(calls)
    for turn in range(rounds):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            single[name].append(time_single(calls[name], flush))
            if measures_warm:
                warm[name].append(time_warm(calls[name], counts[name]))
    return single, warm
