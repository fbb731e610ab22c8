"""c = gelu(a b + bias) in bf16 with sums in f32: blocks that stay, of which one warp
group loads tiles by tensor maps and two multiply. A finished tile is packed to bf16 and
stored while the next one is multiplied, so that the tensor cores wait for no epilogue."""

from hopper import (arrive_where, block, commit_stores, descriptor, expect_bytes, init_barrier, load_box, next_slot, pack,
                    prefetch_tensor_map, publish_barriers, publish_stores, set_registers, shared_base, store_box,
                    store_matrices, synchronize, synchronize_warp, thread, uniform, unpack, wait_barrier, wait_products,
                    wait_stores)
from ir import GENERIC, Kernel, Launch, TensorMap, Value, struct

ROWS, DEPTH = 128, 64  # of a tile
BOX = 64  # elements of a row of 128 bytes
GROUP = 16  # rows of tiles that are walked column by column, for the second-level cache
SHARED_BYTES, ALIGNMENT = 232448, 1024
CONSUMER_WARPS, STORED_ROWS = 8, 16  # a warp stores 16 rows
THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS = 384, 24, 240


def ceil_div(a, b):
    return -(-a // b)


def best_width(m, n, is_nk, blocks):
    """The width of tiles whose waves take the least time: a narrow tile loads the other
    operand more often, which costs as much as 32 columns."""
    cost = lambda width: ceil_div(ceil_div(m, ROWS) * ceil_div(n, width), blocks) * (width + 32)
    return min(range(64, 257, 32 if is_nk else BOX), key=lambda width: (cost(width), -width))


class Gemm:
    def __init__(self, m, n, k, is_nk, has_bias, has_gelu, width, blocks):
        if n % 8 or k % 8:
            raise ValueError(f"n is {n} and k is {k}, expected multiples of 8: the pitch of a tensor map is one of 16 bytes")
        step = 32 if is_nk else BOX
        if width % step or width > 256:
            raise ValueError(f"the width of tiles is {width}, expected a multiple of {step} up to 256, or 0 to choose one")
        self.m, self.n, self.is_nk, self.has_bias, self.has_gelu = m, n, is_nk, has_bias, has_gelu
        self.width = width or best_width(m, n, is_nk, blocks)
        self.depth_blocks, self.tiles_m, self.tiles_n = ceil_div(k, DEPTH), ceil_div(m, ROWS), ceil_div(n, self.width)
        self.tiles = self.tiles_m * self.tiles_n
        self.blocks, self.group = min(blocks, self.tiles), min(GROUP, self.tiles_m)
        self.a_bytes, self.b_bytes = ROWS * DEPTH * 2, self.width * DEPTH * 2
        self.stage_bytes = self.a_bytes + self.b_bytes
        # A warp's part of a tile is stored in chunks of 16 rows: 64 columns a block of the depth.
        self.chunk = 32 if self.width % 64 else 64
        self.chunks, self.chunks_a_block, self.buffers = self.width // self.chunk, 64 // self.chunk, 128 // self.chunk
        self.chunk_bytes = STORED_ROWS * self.chunk * 2
        stored = CONSUMER_WARPS * self.buffers * self.chunk_bytes
        self.stages = (SHARED_BYTES - ALIGNMENT - stored) // self.stage_bytes
        self.stored = self.stages * self.stage_bytes
        self.barriers = self.stored + stored
        self.shared_bytes = self.barriers + 16 * self.stages
        self.peeled = ceil_div(self.chunks, self.chunks_a_block) + 1
        self.hides_stores = self.depth_blocks > self.peeled
        self.sums = struct(["f32"] * (self.width // 2))
        self.packed = struct(["i32"] * (self.width // 4))
        bias = [("bias", (n,), "bf16")] if has_bias else []
        self.buffer_list = [("a", (m, k), "bf16"), ("b", (n, k) if is_nk else (k, n), "bf16"), *bias, ("c", (m, n), "bf16")]
        self.maps = [TensorMap("a", (m, k), (ROWS, BOX)),
                     TensorMap("b", (n, k), (self.width, BOX)) if is_nk else TensorMap("b", (k, n), (DEPTH, BOX)),
                     TensorMap("c", (m, n), (STORED_ROWS, self.chunk), swizzle=2 * self.chunk)]
        self.k = Kernel("gemm", self.buffer_list)
        self.map_a, self.map_b, self.map_c = (Value(self.k, f"%map_{i}", GENERIC) for i in range(3))

    def module(self):
        k = self.k
        self.shared, tid = shared_base(k), thread(k)
        self.block, warp = block(k), uniform(k, tid >> 5)
        self.warp, self.lane, self.is_first = warp, tid & 31, tid.compare("eq", 0)
        self.full, self.empty = self.shared + self.barriers, self.shared + (self.barriers + 8 * self.stages)
        with k.when(self.is_first):
            for tensor_map in (self.map_a, self.map_b, self.map_c):
                prefetch_tensor_map(k, tensor_map)
            for stage in range(self.stages):
                init_barrier(k, self.full + 8 * stage, 1)
                init_barrier(k, self.empty + 8 * stage, CONSUMER_WARPS)
            publish_barriers(k)
        synchronize(k)
        k.split((warp >> 2).compare("eq", 0), self.produce, self.consume)
        return k.module(Launch(self.blocks, THREADS, self.shared_bytes, tensor_maps=self.maps))

    def corner(self, tile):
        """The first row and column of a tile."""
        in_group = tile % (self.group * self.tiles_n)
        first = tile // (self.group * self.tiles_n) * self.group
        rows = self.group if self.tiles_m % self.group == 0 else self.k.minimum(self.group, self.tiles_m - first)
        return (first + in_group % rows) * ROWS, in_group // rows * self.width

    def each_tile(self, carried, body):
        return self.k.loop(self.block, self.tiles, self.blocks, carried, body)

    # One thread loads.

    def produce(self):
        k = self.k
        set_registers(k, PRODUCER_REGISTERS, is_more=False)

        def load_stage(depth, row, column, slot, parity):
            wait_barrier(k, self.empty + slot * 8, parity)
            full, a = self.full + slot * 8, self.shared + slot * self.stage_bytes
            expect_bytes(k, full, self.stage_bytes)
            b, inner = a + self.a_bytes, depth * DEPTH
            load_box(k, a, self.map_a, full, [inner, row])
            if self.is_nk:
                load_box(k, b, self.map_b, full, [inner, column])
            else:
                for i in range(self.width // BOX):
                    load_box(k, b + i * (BOX * DEPTH * 2), self.map_b, full, [column + i * BOX, inner])
            return next_slot(slot, parity, self.stages)

        def load_tile(tile, ring):
            row, column = self.corner(tile)
            return k.loop(0, self.depth_blocks, 1, ring,
                          lambda depth, inner: load_stage(depth, row, column, *inner))

        with k.when(self.is_first):
            self.each_tile([0, 1], load_tile)  # the stages are empty at first

    # Two warp groups multiply 64 rows each.

    def consume(self):
        k = self.k
        set_registers(k, CONSUMER_REGISTERS, is_more=True)
        self.group_of_warps = (self.warp >> 2) - 1
        self.is_first_lane = self.lane.compare("eq", 0)
        self.a_matrix = descriptor(k, self.shared + self.group_of_warps * (64 * BOX * 2), 16)
        self.b_matrix = descriptor(k, self.shared + self.a_bytes, 16 if self.is_nk else BOX * DEPTH * 2)
        self.staging = self.shared + self.stored + (self.warp - 4) * (self.buffers * self.chunk_bytes)
        row = self.lane & 15
        self.staged_row = self.staging + row * (2 * self.chunk)
        self.swizzle = ((self.lane >> 4) ^ (row & 7 if self.chunk == 64 else (row >> 1) & 3)) << 4
        nothing = [k.undefined(self.packed), k.constant(0), k.constant(0), k.constant(0, "i1")]
        _, _, *last = self.each_tile([0, 0, *nothing], self.multiply_tile)
        if self.hides_stores:
            self.store_tile(*last)
        wait_stores(k, 0)

    def multiply_tile(self, tile, state):
        k = self.k
        slot, parity, *before = state
        row, column = self.corner(tile)
        stored_row = row + self.group_of_warps * 64 + (self.warp & 3) * STORED_ROWS
        sums, used = k.undefined(self.sums), []
        # No branch is near products in flight, so the first tile stores too, to nowhere.
        for depth in range(self.peeled if self.hides_stores else 1):
            if depth > 1:
                wait_products(k, 1)
                self.release(used[-2])
            wait_barrier(k, self.full + slot * 8, parity)
            sums = self.multiply(sums, slot, is_first=depth == 0)
            used.append(slot)
            slot, parity = next_slot(slot, parity, self.stages)
            if depth:
                for chunk in range((depth - 1) * self.chunks_a_block, min(depth * self.chunks_a_block, self.chunks)):
                    self.store_chunk(chunk, *before)
        if len(used) > 1:
            wait_products(k, 1)
            self.release(used[-2])
        bias = self.load_bias(column) if self.has_bias else None

        def multiply_block(_, inner):
            total, at, phase, previous = inner
            wait_barrier(k, self.full + at * 8, phase)
            total = self.multiply(total, at)
            wait_products(k, 1)
            self.release(previous)
            return [total, *next_slot(at, phase, self.stages), at]

        sums, slot, parity, previous = k.loop(len(used), self.depth_blocks, 1, [sums, slot, parity, used[-1]],
                                              multiply_block)
        values = wait_products(k, 0, sums.fields(["f32"] * (self.width // 2)))
        self.release(previous)
        tile_state = [self.pack_sums(values, bias), stored_row, column, self.is_first_lane]
        if not self.hides_stores:
            self.store_tile(*tile_state)
            tile_state = before
        return [slot, parity, *tile_state]

    def multiply(self, sums, slot, is_first=False):
        """Adds the products of a stage, in one group that is in flight."""
        k = self.k
        place = (slot * (self.stage_bytes >> 4)).extend("i64")
        a, b = self.a_matrix + place, self.b_matrix + place
        b_step, b_layout = (2, "col") if self.is_nk else (128, "row")
        k.emit("nvvm.wgmma.fence.aligned")
        for step in range(DEPTH // 16):
            scale = "zero" if is_first and step == 0 else "one"
            sums = k.op(f"nvvm.wgmma.mma_async {a + 2 * step}, {b + b_step * step}, {sums}, <m = 64, n = {self.width}, "
                        f"k = 16>, D [<f32>, <{scale}>], A [<bf16>, <one>, <row>], B [<bf16>, <one>, <{b_layout}>] "
                        f": {self.sums} -> {self.sums}", self.sums)
        k.emit("nvvm.wgmma.commit.group.sync.aligned")
        return sums

    def release(self, slot):
        arrive_where(self.k, self.empty + slot * 8, self.is_first_lane)

    # The epilogue; a thread has 2 neighbours of a row in 8 columns, and as many 8 rows below.

    def load_bias(self, column):
        """Two bf16 a word for 8 columns, loaded before the loop and used behind it."""
        k, first, words = self.k, column + ((self.lane & 3) << 1), []
        for i in range(self.width // 8):
            at = first + 8 * i
            at = k.minimum(at, self.n - 2) if self.n % self.width else at
            pointer = k.arguments["bias"].at((at << 1).extend("i64"))
            words.append(k.op(f"llvm.load {pointer} invariant {{alignment = 4 : i64}} : {pointer.type} -> i32", "i32"))
        return words

    def pack_sums(self, values, bias):
        k, packed = self.k, self.k.undefined(self.packed)
        for i in range(len(values) // 2):
            pair = values[2 * i:2 * i + 2]
            if bias:
                addends = unpack(bias[i // 2]) if i % 2 == 0 else addends
                pair = [value + addend for value, addend in zip(pair, addends)]
            packed = k.op(f"llvm.insertvalue {pack(k, *pair, is_ordered=True)}, {packed}[{i}] : {self.packed}", self.packed)
        return packed

    def gelu(self, x):
        """x / 2 (1 + tanh u), of the sum rounded to bf16 as without fusion."""
        k, square, half = self.k, x * x, x * 0.5
        u = k.fma(square, 0.0356774081, 0.7978845608)
        tanh = k.asm("tanh.approx.f32 $0, $1;", "=f,f", [u * x], ["f32"], is_ordered=True)
        return k.fma(half, tanh, half)

    def store_tile(self, packed, row, column, condition):
        for chunk in range(self.chunks):
            self.store_chunk(chunk, packed, row, column, condition)

    def store_chunk(self, chunk, packed, row, column, condition):
        """Through a warp's own swizzled buffer: nothing here waits for another warp."""
        k = self.k
        if chunk == 0 or chunk >= self.buffers:
            wait_stores(k, self.buffers - 1 if chunk else 0, is_for_reading=True)
            synchronize_warp(k)
        offset = chunk % self.buffers * self.chunk_bytes
        for column_pair in range(0, self.chunk // 8, 2):
            first = (chunk * self.chunk // 8 + column_pair) * 2
            words = [k.op(f"llvm.extractvalue {packed}[{first + i}] : {self.packed}", "i32") for i in range(4)]
            if self.has_gelu:
                words = [pack(k, *map(self.gelu, unpack(word)), is_ordered=True) for word in words]
            store_matrices(k, self.staged_row + offset + (self.swizzle ^ (column_pair << 4)), words)
        publish_stores(k)
        synchronize_warp(k)
        store_box(k, self.map_c, self.staging + offset, [column + chunk * self.chunk, row], condition)
        commit_stores(k)


def gemm(m=4096, n=4096, k=4096, is_nk=1, bias=0, gelu=0, width=0, blocks=132):
    """`a` is [m, k]; `b` is [n, k], as a linear layer has it, or with is_nk=0 [k, n]."""
    return Gemm(m, n, k, bool(is_nk), bool(bias), bool(gelu), width, blocks).module()
