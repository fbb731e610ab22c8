"""The instructions of an sm_90 GPU that several kernels use, as functions of the
kernel that they are written into. Addresses in shared memory are i32."""

from ir import ALL_LANES, GENERIC, GLOBAL, LOG2_E, SHARED, Value, add, reduce_pairs  # noqa: F401

UNIT = 16  # bytes of the widest access of a thread
WORDS = ["i32"] * 4
WAIT_NANOSECONDS = 10_000_000  # for which a thread may be suspended at a barrier in memory


# Numbers of threads

def thread(k):
    return k.op("nvvm.read.ptx.sreg.tid.x : i32", "i32")


def block(k):
    return k.op("nvvm.read.ptx.sreg.ctaid.x : i32", "i32")


def block_count(k):
    return k.op("nvvm.read.ptx.sreg.nctaid.x : i32", "i32")


def uniform(k, value):
    """The same value, of which the assembler knows that a warp has it in common."""
    return k.op(f"nvvm.shfl.sync idx {k.constant(ALL_LANES)}, {value}, {k.constant(0)}, {k.constant(31)} : i32 -> i32", "i32")


# Memory

def shared_base(k):
    address = k.op(f"llvm.mlir.addressof @shared : {SHARED}", SHARED)
    return k.op(f"llvm.ptrtoint {address} : {SHARED} to i32", "i32")


def shared_pointer(k, address):
    return k.op(f"llvm.inttoptr {k.constant(address)} : i32 to {SHARED}", SHARED)


def load_global(k, pointer):
    """A unit that is read once."""
    return k.asm("ld.global.nc.L1::no_allocate.v4.b32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,l", [pointer], WORDS,
                 is_ordered=True)


def store_global(k, pointer, words, policy=""):
    k.asm(f"st.global{policy}.v4.b32 [$0], {{$1,$2,$3,$4}};", "l,r,r,r,r", [pointer, *words], is_ordered=True)


def load_shared(k, address, space="shared"):
    """A unit of this block's shared memory or, in space shared::cluster, of the cluster's."""
    return k.asm(f"ld.{space}.v4.b32 {{$0,$1,$2,$3}}, [$4];", "=r,=r,=r,=r,r", [address], WORDS, is_ordered=True)


def store_shared(k, address, words):
    k.asm("st.shared.v4.b32 [$0], {$1,$2,$3,$4};", "r,r,r,r,r", [address, *words], is_ordered=True)


def in_block(k, address, rank):
    """The cluster's address of what `address` is in the block of that rank."""
    return k.asm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", [address, rank], ["i32"])


# Barriers

def synchronize(k):
    k.emit("nvvm.barrier")


def synchronize_some(k, number, threads):
    """So many threads, at the barrier of that number."""
    k.emit(f"nvvm.barrier id = {k.constant(number)} number_of_threads = {k.constant(threads)}")


def synchronize_cluster(k):
    k.emit("nvvm.cluster.arrive")
    k.emit("nvvm.cluster.wait")


def synchronize_warp(k):
    k.emit(f"nvvm.bar.warp.sync {k.constant(ALL_LANES)} : i32")


def init_barrier(k, address, arrivals):
    k.emit(f"nvvm.mbarrier.init {shared_pointer(k, address)}, {k.constant(arrivals)} : {SHARED}, i32")


def publish_barriers(k):
    """To the copy engine and to the other blocks, before a barrier of all threads."""
    k.emit("nvvm.fence.mbarrier.init")


def wait_barrier(k, address, parity):
    k.emit(f"nvvm.mbarrier.try_wait.parity {shared_pointer(k, address)}, {k.constant(parity)}, "
           f"{k.constant(WAIT_NANOSECONDS)} : {SHARED}, i32, i32")


def arrive(k, address):
    k.emit(f"nvvm.mbarrier.arrive {shared_pointer(k, address)} : {SHARED}")


def expect_bytes(k, address, count):
    k.emit(f"nvvm.mbarrier.arrive.expect_tx {shared_pointer(k, address)}, {k.constant(count)} : {SHARED}, i32")


def copy_row(k, to, source, count, barrier):
    """One thread: the copy engine moves `count` bytes to shared memory and reports them to the barrier."""
    expect_bytes(k, barrier, count)
    k.asm("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r",
          [to, source, count, barrier], is_ordered=True)


def arrive_where(k, address, condition):
    """An arrival of the threads of which the condition holds, without a branch: those
    serialise products in flight."""
    k.emit(f'nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{{$r0}}];" ro({address} : i32), predicate = {condition}')


# Tensor maps

def prefetch_tensor_map(k, tensor_map):
    k.emit(f"nvvm.prefetch tensormap, {tensor_map} : {GENERIC}")


def _box(k, coordinates):
    return f"box[{', '.join(str(k.constant(value)) for value in coordinates)}]"


def load_box(k, to, tensor_map, barrier, coordinates):
    """One thread: coordinates are from the innermost dimension."""
    k.emit(f"nvvm.cp.async.bulk.tensor.shared.cluster.global {shared_pointer(k, to)}, {tensor_map}, "
           f"{shared_pointer(k, barrier)}, {_box(k, coordinates)} {{isCTAOnly = true}} : {SHARED}, {GENERIC}")


def store_box(k, tensor_map, source, coordinates, condition=None):
    predicate = f", predicate = {condition}" if condition else ""
    k.emit(f"nvvm.cp.async.bulk.tensor.global.shared.cta {tensor_map}, {shared_pointer(k, source)}, "
           f"{_box(k, coordinates)}{predicate} : {GENERIC}, {SHARED}")


def commit_stores(k):
    k.emit("nvvm.cp.async.bulk.commit.group")


def wait_stores(k, in_flight, is_for_reading=False):
    """Until at most so many groups are not done, or have not read their source."""
    k.emit(f"nvvm.cp.async.bulk.wait_group {in_flight}" + (" {read}" if is_for_reading else ""))


def publish_stores(k):
    """What this thread stored in shared memory, to the copy engine."""
    k.emit("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}")


def store_matrices(k, address, words):
    """Four 8 x 8 matrices of 16 bits from a warp's registers."""
    k.emit(f"nvvm.stmatrix {shared_pointer(k, address)}, {', '.join(map(str, words))} {{layout = #nvvm.mma_layout<row>, "
           "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} "
           f": {SHARED}, i32, i32, i32, i32")


# Products of warp groups

def descriptor(k, address, leading_bytes, stride_bytes=1024):
    """Of a matrix in shared memory with a swizzle of 128 bytes. The address has 14 bits:
    above them, in a cluster, is the rank of the block."""
    fields = 1 << 62 | (stride_bytes >> 4) << 32 | (leading_bytes >> 4) << 16
    return ((address >> 4) & 0x3FFF).extend("i64") | fields


def set_registers(k, count, is_more):
    """The registers of each thread of this warp group, from here on."""
    k.emit(f"nvvm.setmaxregister {'increase' if is_more else 'decrease'} {count}")


def wait_products(k, in_flight, values=(), kept=()):
    """Until at most so many groups of products are not done. `values` are those of the
    products that are done then, and the result; `kept` stay in registers until then."""
    if not values:
        return k.emit(f"nvvm.wgmma.wait.group.sync.aligned {in_flight}")
    return k.tied_asm(f"wgmma.wait_group.sync.aligned {in_flight};", values, kept, ",~{memory}")


def next_slot(slot, parity, count):
    """Of a ring: the parity changes where it wraps."""
    following = slot + 1
    wraps = following.compare("eq", count)
    return wraps.select(0, following), parity ^ wraps.extend("i32")


# Arithmetic

def unary(name):
    return lambda k, x: k.asm(f"{name} $0, $1;", "=f,f", [x], ["f32"])


exp2, log2, rsqrt = unary("ex2.approx.ftz.f32"), unary("lg2.approx.ftz.f32"), unary("rsqrt.approx.ftz.f32")


def absolute(k, x):
    return k.op(f"math.absf {x} : f32", "f32")


def unpack(word):
    """The two bf16 of a word, in f32."""
    return [(word << 16).bits_as("f32"), (word & -65536).bits_as("f32")]


def pack(k, low, high, is_ordered=False):
    return k.asm("cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", [high, low], ["i32"], is_ordered)


def pack_unit(k, values):
    return [pack(k, *values[i:i + 2]) for i in range(0, 8, 2)]


def across_lanes(k, combine, value, distances=(16, 8, 4, 2, 1)):
    for distance in distances:
        other = k.op(f"nvvm.shfl.sync bfly {k.constant(ALL_LANES)}, {value}, {k.constant(distance)}, {k.constant(31)} "
                     ": f32 -> f32", "f32")
        value = combine(value, other)
    return value
