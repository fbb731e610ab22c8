"""Kernels that move columns: f32 in and out, every byte once, no multiplication."""

from hopper import (block, in_block, load_global, load_shared, shared_base, store_global, store_shared, synchronize,
                    synchronize_cluster, thread)
from ir import Kernel, Launch, add, reduce_pairs


def transpose(rows=8192, columns=8192, tile=64, threads=256, band=128, per_multiprocessor=6):
    """x^T + 1 in square tiles. Blocks of 4 x 4 are transposed in registers, so that all
    accesses are units of 16 bytes; the units of a row of the transposed tile are permuted
    by its number, so that none is in the way of another. Bands of tile rows are walked
    column by column."""
    k = Kernel("transpose", [("x", (rows, columns), "f32"), ("o", (columns, rows), "f32")])
    across = columns // tile
    squares = tile // 4  # blocks of 4 x 4 along a side
    per_thread = squares * squares // threads
    assert rows % (band * tile) == 0 and per_thread * threads == squares * squares
    shared, tid, bid = shared_base(k), thread(k), block(k)
    in_band = bid % (band * across)
    row0 = (bid // (band * across) * band + in_band % band) * tile
    column0 = in_band // band * tile
    at = lambda base, row, pitch, column: base.at(((row * pitch + column) << 2).extend("i64"))
    x, o = k.arguments["x"], k.arguments["o"]
    blocks = []
    for i in range(per_thread):
        number = tid + i * threads
        column, row = number % squares, number // squares
        words = [load_global(k, at(x, row0 + ((row << 2) + j), columns, column0 + (column << 2))) for j in range(4)]
        blocks.append((column, row, words))
    for column, row, words in blocks:
        for j in range(4):
            place = shared + (((column << 2) + j) * (tile * 4) + ((row ^ (column & 7)) << 4))
            store_shared(k, place, [(words[i][j].bits_as("f32") + 1.0).bits_as("i32") for i in range(4)])
    synchronize(k)
    for i in range(4 * per_thread):
        number = tid + i * threads
        unit, row = number % squares, number // squares
        words = load_shared(k, shared + (row * (tile * 4) + ((unit ^ ((row >> 2) & 7)) << 4)))
        store_global(k, at(o, column0 + row, rows, row0 + (unit << 2)), words, ".cs")
    return k.module(Launch(across * (rows // tile), threads, tile * tile * 4, least_blocks=per_multiprocessor))


STRIP = 128  # columns of a cluster, 512 bytes: a warp reads a row of it at once


def column_sum(rows=16384, columns=16384, threads=256, cluster=8, in_flight=16, per_multiprocessor=2):
    """In one launch and a fixed order. A cluster has a strip of columns; its warps take
    rows in turn, with loads in flight; then come sums over the warps in shared memory and
    over the cluster in distributed shared memory."""
    k = Kernel("column_sum", [("x", (rows, columns), "f32"), ("o", (columns,), "f32")])
    warps, per_block, row_bytes, strip_bytes = threads // 32, rows // cluster, columns * 4, STRIP * 4
    assert per_block % (warps * in_flight) == 0 and columns % STRIP == 0
    shared, tid, bid = shared_base(k), thread(k), block(k)
    warp, lane = tid >> 5, tid & 31
    rank, strip, lane_offset = bid & (cluster - 1), bid // cluster, lane << 4
    x, o = k.arguments["x"], k.arguments["o"]
    begin = x.at((rank * per_block + warp).extend("i64") * row_bytes + (strip * strip_bytes + lane_offset).extend("i64"))

    def add_rows(row, sums):
        first = begin.at(row.extend("i64") * row_bytes)
        read = [load_global(k, first.at(i * warps * row_bytes)) for i in range(in_flight)]
        return [total + reduce_pairs(add, [words[i].bits_as("f32") for words in read]) for i, total in enumerate(sums)]

    def sum_of(units):
        return [reduce_pairs(add, [words[i].bits_as("f32") for words in units]).bits_as("i32") for i in range(4)]

    sums = k.loop(0, per_block, warps * in_flight, [k.constant(0.0, "f32")] * 4, add_rows)
    store_shared(k, shared + (tid << 4), [total.bits_as("i32") for total in sums])
    synchronize(k)
    of_block, is_first_warp = shared + (lane_offset + warps * strip_bytes), warp.compare("eq", 0)
    with k.when(is_first_warp):
        store_shared(k, of_block, sum_of([load_shared(k, shared + (lane_offset + strip_bytes * i)) for i in range(warps)]))
    synchronize_cluster(k)
    with k.when(is_first_warp & rank.compare("eq", 0)):
        parts = [load_shared(k, in_block(k, of_block, k.constant(i)), "shared::cluster") for i in range(cluster)]
        store_global(k, o.at((strip * strip_bytes + lane_offset).extend("i64")), sum_of(parts))
    synchronize_cluster(k)  # the first block reads the others' memory until here
    return k.module(Launch(columns // STRIP * cluster, threads, (warps + 1) * strip_bytes, cluster,
                           least_blocks=per_multiprocessor))
