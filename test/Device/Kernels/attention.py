"""Attention over heads of 128 in bf16: blocks that stay, of which one warp group loads
by tensor maps and two have 64 query rows each. The products with the keys of a block run
under the softmax of the block before; its probabilities stay in registers, as the left
operand of the products with the values."""

import math

from hopper import (across_lanes, arrive, block, block_count, commit_stores, descriptor, exp2, expect_bytes, init_barrier,
                    load_box, next_slot, pack, publish_barriers, publish_stores, set_registers, shared_base,
                    shared_pointer, store_box, store_matrices, synchronize, synchronize_some, thread, uniform, wait_barrier,
                    wait_products, wait_stores)
from ir import GENERIC, GLOBAL, LOG2_E, SHARED, Kernel, Launch, TensorMap, Value, add, module_text

HEAD, ROWS, KEYS, STAGES = 128, 128, 128, 2  # sizes of a tile, and blocks of keys in shared memory
SLAB = 128 * 128  # bytes of 128 rows of 64 elements: a tile is two of them
SCORES, OUTPUTS, PROBABILITIES = KEYS // 2, HEAD // 2, KEYS // 4  # registers of a thread; the last have two bf16 each
QUERY, OUTPUT, KEY = 0, 2 * SLAB, 4 * SLAB
VALUE = KEY + STAGES * 2 * SLAB
BARRIERS = VALUE + STAGES * 2 * SLAB
THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS = 384, 24, 240
CONSUMER_WARPS, CACHED_BYTES = 8, 32 << 20
MINUS_INFINITY = "0xFF800000"
# Arrivals at the barriers: of one thread with the bytes that a copy brings, or of the warps that are done.
ARRIVALS = {"query": (1, 1), "query free": (1, CONSUMER_WARPS), "key": (STAGES, 1), "key free": (STAGES, CONSUMER_WARPS),
            "value": (STAGES, 1), "value free": (STAGES, CONSUMER_WARPS), "tile": (1, 1),
            "tile free": (1, CONSUMER_WARPS + 1)}


def in_chains(combine, values):
    """Four chains, as two warps of a scheduler hide little latency."""
    chains = list(values[:4])
    for i, value in enumerate(values[4:]):
        chains[i % 4] = combine(chains[i % 4], value)
    return combine(combine(chains[0], chains[1]), combine(chains[2], chains[3]))


def half_of(index):
    """Whether a register is of a thread's first row (0) or of that 8 below (1)."""
    return index >> 1 & 1


def halves(values):
    return [[value for i, value in enumerate(values) if half_of(i) == half] for half in (0, 1)]


class Attention:
    def __init__(self, batch, heads, length, is_causal, blocks):
        self.heads, self.length, self.is_causal = batch * heads, length, is_causal
        self.row_tiles = -(-length // ROWS)
        self.tiles = self.row_tiles * self.heads
        self.blocks = min(blocks, self.tiles)
        # Heads whose keys and values the second-level cache holds are worked on together.
        self.together = max(1, min(self.heads, CACHED_BYTES // (length * HEAD * 2 * 2)))
        self.scale = LOG2_E / math.sqrt(HEAD)
        sizes, view = (batch, heads, length, HEAD), (self.heads, length, HEAD)
        self.buffers = [(name, sizes, "bf16") for name in "qkvo"]
        self.counter = ("counter", (1,), "i32")
        self.maps = [TensorMap("q", view, (1, ROWS, 64)), TensorMap("k", view, (1, KEYS, 64)),
                     TensorMap("v", view, (1, KEYS, 64)), TensorMap("o", view, (1, ROWS // 2, 64))]
        self.kernel = Kernel("attention", [*self.buffers, self.counter])
        self.map_q, self.map_k, self.map_v, self.map_o = (Value(self.kernel, f"%map_{i}", GENERIC) for i in range(4))
        self.offsets, end = {}, BARRIERS
        for name, (count, _) in ARRIVALS.items():
            self.offsets[name], end = end, end + 8 * count
        self.next_tile, self.shared_bytes = end, end + 16

    def module(self):
        k = self.kernel
        self.shared, tid, self.block, self.stride = shared_base(k), thread(k), block(k), block_count(k)
        self.tid, self.lane, self.warp = tid, tid & 31, uniform(k, tid >> 5)
        is_first_lane = self.lane.compare("eq", 0)
        self.first_lane = is_first_lane.extend("i32")
        with k.when(tid.compare("eq", 0)):
            for name, (count, arrivals) in ARRIVALS.items():
                for i in range(count):
                    init_barrier(k, self.barrier(name, i), arrivals)
            publish_barriers(k)
        synchronize(k)

        def produce():
            set_registers(k, PRODUCER_REGISTERS, is_more=False)
            with k.when(is_first_lane):
                for warp, body in enumerate((self.load_queries_and_keys, self.load_values)):
                    with k.when(self.warp.compare("eq", warp)):
                        body()

        k.split((self.warp >> 2).compare("eq", 0), produce, self.consume)
        launch = Launch(self.blocks, THREADS, self.shared_bytes, tensor_maps=self.maps)
        return module_text([clear(self.counter), (k, launch)], self.buffers, [self.counter])

    # Barriers

    def barrier(self, name, slot=0):
        offset = slot * 8
        return self.shared + (offset + self.offsets[name])

    def wait(self, name, parity, slot=0):
        wait_barrier(self.kernel, self.barrier(name, slot), parity)

    def arrive_of_warp(self, name, slot=0):
        """One arrival a warp, without a branch near products in flight."""
        self.kernel.asm("{ .reg .pred p; setp.ne.b32 p, $1, 0; @p mbarrier.arrive.shared::cta.b64 _, [$0]; }",
                        "r,r,~{memory}", [self.barrier(name, slot), self.first_lane], is_ordered=True)

    # Tiles, the longest first. A block takes the next one when the last load of its tile is issued.

    def tile(self, number):
        """The first query row, the head and the blocks of keys of a tile."""
        k = self.kernel
        group, place = number // (self.together * self.row_tiles), number % (self.together * self.row_tiles)
        first = group * self.together
        together = self.together if self.heads % self.together == 0 else k.minimum(self.together, self.heads - first)
        row, head = place // together, first + place % together
        if self.is_causal:
            row = self.row_tiles - 1 - row
        row = row * ROWS
        end = k.minimum(self.length, row + ROWS) if self.is_causal else k.constant(self.length)
        return row, head, (end + (KEYS - 1)) // KEYS

    def each_tile(self, state, body, take_next):
        """`body(tile, state)` gives the next state, `take_next(parity)` the next tile."""
        def one(values):
            number, parity, *inner = values
            following = body(number, inner)
            return [take_next(parity), parity ^ 1, *following]
        self.kernel.while_less([self.block, 0, *state], self.tiles, one)

    def draw_tile(self, parity):
        """By one thread of the block, for all."""
        k = self.kernel
        count = k.op(f"llvm.atomicrmw add {k.arguments['counter']}, {k.constant(1)} monotonic : {GLOBAL}, i32", "i32")
        number = count + self.stride
        self.wait("tile free", parity ^ 1)
        k.emit(f"llvm.store {number}, {shared_pointer(k, self.shared + self.next_tile)} : i32, {SHARED}")
        arrive(k, self.barrier("tile"))
        return number

    def read_tile(self, parity, of_warp):
        k = self.kernel
        self.wait("tile", parity)
        number = k.op(f"llvm.load volatile {shared_pointer(k, self.shared + self.next_tile)} : {SHARED} -> i32", "i32")
        if of_warp:
            self.arrive_of_warp("tile free")
        else:
            arrive(k, self.barrier("tile free"))
        return number

    # The producers, a thread each

    def load_tile(self, to, tensor_map, barrier, row, head):
        expect_bytes(self.kernel, barrier, 2 * SLAB)
        for half in range(2):
            load_box(self.kernel, to + half * SLAB, tensor_map, barrier, [64 * half, row, head])

    def load_blocks(self, name, base, tensor_map, ring, head, count):
        """All blocks of a tile's keys or values, the last one first."""
        def load(number, state):
            slot, parity = state
            self.wait(name + " free", parity ^ 1, slot)
            self.load_tile(self.shared + base + slot * (2 * SLAB), tensor_map, self.barrier(name, slot),
                           (count - 1 - number) * KEYS, head)
            return next_slot(slot, parity, STAGES)
        return self.kernel.loop(0, count, 1, ring, load)

    def load_queries_and_keys(self):
        def body(number, state):
            parity, *ring = state
            row, head, count = self.tile(number)
            self.wait("query free", parity ^ 1)
            self.load_tile(self.shared + QUERY, self.map_q, self.barrier("query"), row, head)
            return [parity ^ 1, *self.load_blocks("key", KEY, self.map_k, ring, head, count)]
        self.each_tile([0, 0, 0], body, self.draw_tile)

    def load_values(self):
        def body(number, ring):
            _, head, count = self.tile(number)
            return self.load_blocks("value", VALUE, self.map_v, ring, head, count)
        self.each_tile([0, 0], body, lambda parity: self.read_tile(parity, of_warp=False))

    # The consumers. Registers 4 j + 0, 1 are of row lane / 4, columns 8 j + 2 (lane % 4) + 0, 1; 2, 3 of 8 rows below.

    def scores(self, queries, keys):
        """Starts the products of the query rows with a block of keys."""
        registers = "{" + ", ".join(f"${i}" for i in range(SCORES)) + "}"
        text = ("{ .reg .b64 a, b; .reg .pred p, q; setp.ne.b32 p, 0, 0; setp.eq.b32 q, 0, 0; "
                "wgmma.fence.sync.aligned; ")
        for step in range(HEAD // 16):
            offset = step // 4 * (SLAB >> 4) + step % 4 * 2
            text += (f"add.s64 a, ${SCORES}, {offset}; add.s64 b, ${SCORES + 1}, {offset}; wgmma.mma_async.sync.aligned."
                     f"m64n{KEYS}k16.f32.bf16.bf16 {registers}, a, b, {'q' if step else 'p'}, 1, 1, 0, 0; ")
        return self.kernel.asm(text + "wgmma.commit_group.sync.aligned; }", ",".join(["=f"] * SCORES + ["l", "l"]),
                               [queries, keys], ["f32"] * SCORES, is_ordered=True)

    def add_values(self, outputs, probabilities, values):
        """Starts the products of a block's probabilities with its values."""
        registers = "{" + ", ".join(f"${i}" for i in range(OUTPUTS)) + "}"
        text = "{ .reg .b64 b; .reg .pred q; setp.eq.b32 q, 0, 0; wgmma.fence.sync.aligned; "
        for step in range(KEYS // 16):
            left = ", ".join(f"${OUTPUTS + 4 * step + i}" for i in range(4))
            text += (f"add.s64 b, ${OUTPUTS + PROBABILITIES}, {step * 128}; wgmma.mma_async.sync.aligned.m64n{HEAD}k16.f32."
                     f"bf16.bf16 {registers}, {{{left}}}, b, q, 1, 1, 1; ")
        constraints = ["=f"] * OUTPUTS + ["r"] * PROBABILITIES + ["l"] + [str(i) for i in range(OUTPUTS)]
        return self.kernel.asm(text + "wgmma.commit_group.sync.aligned; }", ",".join(constraints),
                               [*probabilities, values, *outputs], ["f32"] * OUTPUTS, is_ordered=True)

    def across_row(self, combine, value):
        return across_lanes(self.kernel, combine, value, (1, 2))

    def softmax(self, scores, maxima=None, sums=None):
        """Probabilities before the division, the rows' maxima, this thread's parts of
        their sums, and the factors of what was summed before."""
        k, new_maxima, shifts, factors = self.kernel, [], [], []
        for half, row in enumerate(halves(scores)):
            largest = self.across_row(k.maximum, in_chains(k.maximum, row if maxima is None else [maxima[half], *row]))
            new_maxima.append(largest)
            shifts.append(largest * -self.scale)
            if maxima is not None:
                factors.append(exp2(k, k.fma(maxima[half], self.scale, shifts[half])))
        values = [exp2(k, k.fma(score, self.scale, shifts[half_of(i)])) for i, score in enumerate(scores)]
        parts = [in_chains(add, row) for row in halves(values)]
        if sums is not None:
            parts = [k.fma(total, factor, part) for total, factor, part in zip(sums, factors, parts)]
        return values, new_maxima, parts, factors

    def masked(self, scores, row, first_key):
        """The scores without the keys behind the diagonal or the end."""
        k, limits = self.kernel, []
        for offset in (0, 8):
            last = k.constant(self.length - 1)
            if self.is_causal:
                last = k.minimum(self.length - 1, row + self.thread_row + offset)
            limits.append(last - (self.lane & 3) * 2 - first_key)
        hidden = k.constant(MINUS_INFINITY, "f32")
        return [limits[half_of(i)].compare("slt", 8 * (i // 4) + (i & 1)).select(hidden, score)
                for i, score in enumerate(scores)]

    def packed(self, values):
        return [pack(self.kernel, *values[i:i + 2]) for i in range(0, len(values), 2)]

    def key_matrix(self, slot):
        return descriptor(self.kernel, self.shared + (slot * (2 * SLAB) + KEY), 16)

    def value_matrix(self, slot):
        return descriptor(self.kernel, self.shared + (slot * (2 * SLAB) + VALUE), SLAB)

    def consume(self):
        k = self.kernel
        set_registers(k, CONSUMER_REGISTERS, is_more=True)
        self.group = (self.warp >> 2) - 1
        self.quarter = (self.tid >> 5) & 3
        self.thread_row = self.group * 64 + (self.quarter * 16 + (self.lane >> 2))
        self.each_tile([0] * 5, self.attend, lambda parity: self.read_tile(parity, of_warp=True))
        wait_stores(k, 0)

    def attend(self, number, state):
        k = self.kernel
        query_parity, key_slot, key_parity, value_slot, value_parity = state
        row, head, count = self.tile(number)
        queries = descriptor(k, self.shared + (self.group * (64 * 128) + QUERY), 16)
        self.wait("query", query_parity)
        self.wait("key", key_parity, key_slot)
        scores = wait_products(k, 0, self.scores(queries, self.key_matrix(key_slot)))
        self.arrive_of_warp("key free", key_slot)
        key_slot, key_parity = next_slot(key_slot, key_parity, STAGES)
        # The blocks of keys are from the last one down, so that only the first one has keys to hide.
        values, maxima, sums, _ = self.softmax(self.masked(scores, row, (count - 1) * KEYS))
        carried = [*[k.constant(0.0, "f32")] * OUTPUTS, *self.packed(values), *maxima, *sums, key_slot, key_parity,
                   value_slot, value_parity]
        carried = k.loop(1, count, 1, carried, lambda _, inner: self.attend_block(queries, inner))
        outputs, probabilities = carried[:OUTPUTS], carried[OUTPUTS:OUTPUTS + PROBABILITIES]
        sums, (key_slot, key_parity, value_slot, value_parity) = carried[-6:-4], carried[-4:]
        self.arrive_of_warp("query free")
        self.wait("value", value_parity, value_slot)
        outputs = self.add_values(outputs, probabilities, self.value_matrix(value_slot))
        outputs = wait_products(k, 0, outputs, probabilities)
        self.arrive_of_warp("value free", value_slot)
        value_slot, value_parity = next_slot(value_slot, value_parity, STAGES)
        self.store_outputs(outputs, sums, row, head)
        return [query_parity ^ 1, key_slot, key_parity, value_slot, value_parity]

    def attend_block(self, queries, carried):
        """One more block of keys, and the values of the block before."""
        k = self.kernel
        outputs, probabilities = carried[:OUTPUTS], carried[OUTPUTS:OUTPUTS + PROBABILITIES]
        maxima, sums = carried[-8:-6], carried[-6:-4]
        key_slot, key_parity, value_slot, value_parity = carried[-4:]
        self.wait("key", key_parity, key_slot)
        scores = self.scores(queries, self.key_matrix(key_slot))
        self.wait("value", value_parity, value_slot)
        outputs = self.add_values(outputs, probabilities, self.value_matrix(value_slot))
        scores = wait_products(k, 1, scores)
        self.arrive_of_warp("key free", key_slot)
        values, maxima, sums, factors = self.softmax(scores, maxima, sums)
        # The sums are named so that the exponentials are computed before the wait.
        outputs = wait_products(k, 0, outputs, [*probabilities, *(total.bits_as("i32") for total in sums)])
        self.arrive_of_warp("value free", value_slot)
        probabilities = self.packed(values)
        outputs = [value * factors[half_of(i)] for i, value in enumerate(outputs)]
        return [*outputs, *probabilities, *maxima, *sums, *next_slot(key_slot, key_parity, STAGES),
                *next_slot(value_slot, value_parity, STAGES)]

    def store_outputs(self, outputs, sums, row, head):
        """Divided, in bf16, through the warp group's part of a buffer of its own."""
        k = self.kernel
        inverse = [1.0 / self.across_row(add, total) for total in sums]
        words = self.packed([value * inverse[half_of(i)] for i, value in enumerate(outputs)])
        is_first, barrier = (self.tid & 127).compare("eq", 0), self.group + 3
        place = self.shared + (self.group * (64 * 128) + OUTPUT)
        with k.when(is_first):
            wait_stores(k, 0, is_for_reading=True)
        synchronize_some(k, barrier, 128)
        low, half = self.lane & 7, (self.lane >> 3) & 1
        base = place + (self.quarter * 16 + half * 8 + low) * 128
        swizzle = (low * 16) ^ ((self.lane >> 4) * 16)
        for pair in range(0, HEAD // 8, 2):
            store_matrices(k, base + pair // 8 * SLAB + (swizzle ^ (pair % 8 * 16)), words[2 * pair:2 * pair + 4])
        publish_stores(k)
        synchronize_some(k, barrier, 128)
        with k.when(is_first):
            for half in range(2):
                store_box(k, self.map_o, place + half * SLAB, [64 * half, row + self.group * 64, head])
            commit_stores(k)


def clear(counter):
    """A kernel that makes the counter of tiles 0."""
    k = Kernel("clear", [counter])
    with k.when(thread(k).compare("eq", 0)):
        k.emit(f"llvm.store {k.constant(0)}, {k.arguments['counter']} : i32, {GLOBAL}")
    return k, Launch(1, 32)


def attention(batch=4, heads=16, length=4096, causal=1, blocks=132):
    """softmax(q k^T / sqrt(128)) v, of rows up to the diagonal where it is causal."""
    return Attention(batch, heads, length, bool(causal), blocks).module()
