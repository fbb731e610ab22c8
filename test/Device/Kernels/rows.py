"""Kernels of whole rows that move every byte once: bf16 in and out, a row in registers."""

import math

from hopper import (UNIT, absolute, across_lanes, block, block_count, copy_row, exp2, expect_bytes, in_block, init_barrier,
                    load_global, load_shared, log2, next_slot, pack_unit, publish_barriers, rsqrt, shared_base,
                    store_global, synchronize, synchronize_cluster, synchronize_warp, thread, unpack, wait_barrier)
from ir import GLOBAL, LOG2_E, Kernel, Launch, add, reduce_pairs

# gelu(x) = max(x, 0) - |x| Q(|x|) with Q(t) = erfc(t / sqrt 2) / 2 = 2^p(t), p of degree 5 on [0, 5.6], error of p
# below 3.9e-4, falling on to the end at 14: within one bf16 of exact for all normal x above -5.6.
GELU = (-1.0003901720046997, -1.145915150642395, -0.4702772796154022, -0.04424818977713585, 0.00478716054931283,
        -0.00022654674830846488)
GELU_END = 14.0


def gelu(k, x, scale, shift):
    """scale * gelu(x) + shift; the scale is part of the polynomial's constant term."""
    size = k.op(f"llvm.intr.minnum({absolute(k, x)}, {k.constant(GELU_END, 'f32')}) : (f32, f32) -> f32", "f32")
    exponent = GELU[-1]
    for coefficient in (*GELU[-2:0:-1], GELU[0] + math.log2(scale)):
        exponent = k.fma(exponent, size, coefficient)
    positive = k.maximum(shift, k.fma(x, scale, shift), keeps_nan=True)
    return k.fma(-size, exp2(k, exponent), positive)


def sum_of_words(k, words):
    """The sum of a warp's packed bf16 on the tensor cores: products with ones, of which
    a lane gets the sums of rows lane / 4 and lane / 4 + 8."""
    ones, sums = k.constant(0x3F803F80), [k.constant(0.0, "f32")] * 4
    for i in range(0, len(words), 4):
        sums = k.asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$8}, "
                     "{$9,$10,$11,$12};", "=f,=f,=f,=f,r,r,r,r,r,f,f,f,f", [*words[i:i + 4], ones, *sums], ["f32"] * 4)
    return across_lanes(k, add, sums[0] + sums[2], (16, 8, 4))


class Unpacker:
    """Unpacks bf16 and adds one number to all, on the tensor cores: a product with the
    identity leaves every element with its thread."""

    def __init__(self, k, lane):
        self.k = k
        column, row = lane >> 2, (lane & 3) << 1
        low = column.compare("eq", row).select(0x3F80, 0)
        high = column.compare("eq", row + 1).select(0x3F800000, 0)
        self.identity = low | high

    def __call__(self, words, addend):
        values = []
        for i in range(0, len(words), 2):
            values += self.k.asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$4,$5}, {$6}, "
                                 "{$7,$7,$7,$7};", "=f,=f,=f,=f,r,r,r,f", [*words[i:i + 2], self.identity, addend],
                                 ["f32"] * 4)
        return values


def layer_norm(rows=65536, columns=4096, threads=128, blocks=264, slots=4, per_multiprocessor=2):
    """gelu(layer_norm(x) * w + b) * 1.2 + 0.1. Blocks stay; the copy engine brings the
    next rows while one is in registers. Mean and squared deviations are two passes over
    registers in a warp, merged across warps by Chan's formula: one barrier a row."""
    k = Kernel("layer_norm", [("x", (rows, columns), "bf16"), ("w", (columns,), "bf16"), ("b", (columns,), "bf16"),
                              ("o", (rows, columns), "bf16")])
    row_bytes, warps, elements = columns * 2, threads // 32, columns // threads
    units = elements // 8
    assert elements % 8 == 0 and warps % 2 == 0 and slots * blocks <= rows
    partials, barriers = slots * row_bytes, slots * row_bytes + 2 * warps * 8
    shared, tid, bid = shared_base(k), thread(k), block(k)
    warp, lane = tid >> 5, tid & 31
    unpacked = Unpacker(k, lane)
    x, w, b, o = (k.arguments[name] for name in "xwbo")
    offsets = [(tid + unit * threads) << 4 for unit in range(units)]
    row_of = lambda base, row: base.at(row.extend("i64") * row_bytes)
    is_first = tid.compare("eq", 0)
    with k.when(is_first):
        for slot in range(slots):
            init_barrier(k, shared + (barriers + 8 * slot), 1)
        publish_barriers(k)
        for slot in range(slots):
            copy_row(k, shared + slot * row_bytes, row_of(x, bid + slot * blocks), row_bytes, shared + (barriers + 8 * slot))
    weights, biases = ([value for offset in offsets for word in load_global(k, base.at(offset.extend("i64")))
                        for value in unpack(word)] for base in (w, b))
    synchronize(k)

    def deviations(words):
        """The mean of a warp's elements and the sum of their squared deviations."""
        mean = sum_of_words(k, words) * (1 / (32 * elements))
        values = unpacked(words, -mean)
        sums = [value * value for value in values[:4]]
        for i, value in enumerate(values[4:]):
            sums[i % 4] = k.fma(value, value, sums[i % 4])
        return mean, across_lanes(k, add, reduce_pairs(add, sums))

    def merged(box):
        """The negative mean of the row and the reciprocal of its standard deviation."""
        pairs = [word.bits_as("f32") for i in range(warps // 2) for word in load_shared(k, box + 16 * i)]
        mean = reduce_pairs(add, pairs[0::2]) * (1 / warps)
        apart = [part - mean for part in pairs[0::2]]
        squares = k.fma(reduce_pairs(add, [value * value for value in apart]), float(32 * elements),
                        reduce_pairs(add, pairs[1::2]))
        return -mean, rsqrt(k, k.fma(squares, 1 / columns, 1e-5))

    def one_row(row, state):
        slot, parity, half = state
        barrier, place = shared + (slot * 8 + barriers), shared + slot * row_bytes
        wait_barrier(k, barrier, parity)
        words = [word for offset in offsets for word in load_shared(k, place + offset)]
        box = shared + (half * (warps * 8) + partials)
        mean, squares = deviations(words)
        with k.when(lane.compare("eq", 0)):
            k.asm("st.shared.v2.b32 [$0], {$1,$2};", "r,f,f", [box + (warp << 3), mean, squares], is_ordered=True)
        synchronize(k)  # all have read the slot; the next row has the other half of the partial results
        ahead = row + slots * blocks
        with k.when(is_first & ahead.compare("ult", rows)):
            copy_row(k, place, row_of(x, ahead), row_bytes, barrier)
        shift, factor = merged(box)
        to = row_of(o, row)
        for unit, offset in enumerate(offsets):
            values = unpacked(words[4 * unit:4 * unit + 4], shift)
            normal = [k.fma(value * factor, weights[8 * unit + i], biases[8 * unit + i]) for i, value in enumerate(values)]
            store_global(k, to.at(offset.extend("i64")), pack_unit(k, [gelu(k, value, 1.2, 0.1) for value in normal]))
        return [*next_slot(slot, parity, slots), half ^ 1]

    k.loop(bid, rows, blocks, [0, 0, 0], one_row)
    return k.module(Launch(blocks, threads, barriers + 8 * slots, least_blocks=per_multiprocessor))


LEAST_MAXIMUM = -2.2e38  # finite, so that exp2(-inf - maximum) is 0


def packed_maximum(k, words):
    """The largest of packed bf16, two at a time."""
    pairs = [word.bits_as("vector<2xbf16>") for word in words]
    largest = reduce_pairs(k.maximum, pairs).bits_as("i32")
    return k.maximum(k.maximum(*unpack(largest)), LEAST_MAXIMUM)


def exponential_sum(k, words, maximum):
    shift, sums = maximum * -LOG2_E, []
    for i, value in enumerate(value for word in words for value in unpack(word)):
        term = exp2(k, k.fma(value, LOG2_E, shift))
        if i < 4:
            sums.append(term)
        else:
            sums[i % 4] = sums[i % 4] + term
    return reduce_pairs(add, sums)


def exponent_shift(k, box, lane, pairs):
    """What is added to an element times log2(e) so that exp2 of it is the result: minus
    log2 of the sum of exponentials, of `pairs` pairs of a maximum and a sum."""
    parts = []
    for i in range(0, pairs, 32):
        parts += k.asm("ld.shared.v2.f32 {$0,$1}, [$2];", "=f,=f,r", [box + ((lane << 3) + 8 * i)], ["f32", "f32"],
                       is_ordered=True)
    maximum = across_lanes(k, k.maximum, reduce_pairs(k.maximum, parts[0::2]))
    shift = maximum * -LOG2_E
    sums = [part * exp2(k, k.fma(of, LOG2_E, shift)) for of, part in zip(parts[0::2], parts[1::2])]
    return shift - log2(k, across_lanes(k, add, reduce_pairs(add, sums)))


def unpack_again(k, word):
    """As unpack(), in instructions that the assembler does not take for those of the
    first pass, whose values it would keep and spill."""
    return [k.asm(f"prmt.b32 $0, $1, 0, {which};", "=f,r", [word], ["f32"]) for which in ("0x1044", "0x3244")]


class WarpRing:
    """Units of a part of a row that a warp brings to shared memory for itself, `count`
    ahead, each with a barrier."""

    def __init__(self, k, base, barriers, count, unit_bytes):
        self.k, self.base, self.barriers, self.count, self.bytes = k, base, barriers, count, unit_bytes

    def barrier(self, slot):
        return self.barriers + (slot << 3 if not isinstance(slot, int) else 8 * slot)

    def place(self, slot):
        return self.base + slot * self.bytes

    def fetch(self, slot, source):
        copy_row(self.k, self.place(slot), source, self.bytes, self.barrier(slot))


def send_pair(k, place, barrier, lane, cluster, pair):
    """Two f32 to the same place in every block of the cluster, by a lane each."""
    with k.when(lane.compare("ult", cluster)):
        k.asm("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$1,$2}, [$3];", "r,r,r,r",
              [in_block(k, place, lane), *(value.bits_as("i32") for value in pair), in_block(k, barrier, lane)],
              is_ordered=True)


def softmax(rows=4096, columns=131072, threads=512, cluster=2, slots=7, unit_bytes=2048, blocks=132):
    """Clusters that stay, each a row at a time; a warp owns a part of it and fills a ring
    of its own by bulk copies. The row is in registers, so a unit is refilled once it is
    read. Each warp sends its maximum and sum to every block of the cluster."""
    k = Kernel("softmax", [("x", (rows, columns), "bf16"), ("o", (rows, columns), "bf16")])
    warps, clusters = threads // 32, blocks // cluster
    part_bytes, block_bytes = columns // cluster * 2 // warps, columns // cluster * 2
    fetches, units, pairs = part_bytes // unit_bytes, unit_bytes // (32 * UNIT), warps * cluster
    boxes = warps * slots * unit_bytes
    barriers = boxes + 2 * pairs * 8
    received = barriers + 8 * slots * warps
    assert fetches * unit_bytes == part_bytes and pairs % 32 == 0
    shared, tid, bid = shared_base(k), thread(k), block(k)
    warp, lane = tid >> 5, tid & 31
    rank, number, stride = bid & (cluster - 1), bid // cluster, block_count(k) // cluster
    is_first_lane = lane.compare("eq", 0)
    ring = WarpRing(k, shared + warp * (slots * unit_bytes), shared + (warp * (8 * slots) + barriers), slots, unit_bytes)
    of_warp = (warp * part_bytes).extend("i64")
    part = lambda base, row: base.at((row * cluster + rank).extend("i64") * block_bytes + of_warp)
    x, o = k.arguments["x"], k.arguments["o"]
    with k.when(is_first_lane):
        for slot in range(slots):
            init_barrier(k, ring.barrier(slot), 1)
        with k.when(tid.compare("eq", 0)):
            for half in range(2):
                init_barrier(k, shared + (received + 8 * half), 1)
        publish_barriers(k)
        for slot in range(slots):
            row, fetch = number + slot // fetches * stride, slot % fetches
            ring.fetch(slot, part(x, row).at(k.constant(fetch * unit_bytes, "i64")))
    synchronize_cluster(k)  # the barriers of all blocks exist
    lane_offset = lane << 4

    def read_part(row, slot, parity):
        """This warp's part of the row and its maximum."""
        words, maxima = [], []
        for fetch in range(fetches):
            wait_barrier(k, ring.barrier(slot), parity)
            place = ring.place(slot) + lane_offset
            read = [word for unit in range(units) for word in load_shared(k, place + 512 * unit)]
            words += read
            maxima.append(packed_maximum(k, read))
            ahead = row + (fetch + slots) // fetches * stride
            # Nothing orders a copy behind a load in flight, so the refill depends on what was loaded; this always holds.
            seen = k.asm("mov.b32 $0, $1;", "=f,f", [maxima[-1]], ["f32"], is_ordered=True).compare("oge", -3e38)
            refills = is_first_lane & seen & ahead.compare("ult", rows)
            synchronize_warp(k)
            with k.when(refills):
                ring.fetch(slot, part(x, ahead).at(k.constant((fetch + slots) % fetches * unit_bytes, "i64")))
            slot, parity = next_slot(slot, parity, slots)
        return words, reduce_pairs(k.maximum, maxima), slot, parity

    def one_row(row, state):
        slot, parity, half, received_parity = state
        barrier = shared + ((half << 3) + received)
        box = shared + (half * (pairs * 8) + boxes)  # of two: no block is two rows ahead
        with k.when(tid.compare("eq", 0)):
            expect_bytes(k, barrier, pairs * 8)
        words, maximum, slot, parity = read_part(row, slot, parity)
        maximum = across_lanes(k, k.maximum, maximum)
        total = across_lanes(k, add, exponential_sum(k, words, maximum))
        send_pair(k, box + ((rank * warps + warp) << 3), barrier, lane, cluster, (maximum, total))
        words = k.tied_asm("", words)  # LLVM keeps no unpacked values from here on
        wait_barrier(k, barrier, received_parity)
        shift = exponent_shift(k, box, lane, pairs)
        to = part(o, row).at(lane_offset.extend("i64"))
        for unit in range(fetches * units):
            values = [value for word in words[4 * unit:4 * unit + 4] for value in unpack_again(k, word)]
            store_global(k, to.at(unit * 512) if unit else to,
                         pack_unit(k, [exp2(k, k.fma(value, LOG2_E, shift)) for value in values]))
        return [slot, parity, half ^ 1, received_parity ^ half]

    k.loop(number, rows, stride, [0, 0, 0, 0], one_row)
    synchronize_cluster(k)  # a block stays while others may send to it
    return k.module(Launch(blocks, threads, received + UNIT, cluster))
