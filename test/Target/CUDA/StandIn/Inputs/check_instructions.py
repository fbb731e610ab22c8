"""Instructions of PTX whose results are known: prints those that differ and how many there are."""

import struct

from stand_in import Device


def f32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def f64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


NAN32, INF = 0x7FFFFFFF, float("inf")
TINY = 1  # the least f32 above 0

# The opcode, its operands' bits and the result's. Registers are of 64 bits or, for the types of 16 bits, of 16.
CASES = [
    ("add.s32", [0x7FFFFFFF, 1], 0x80000000),
    ("add.sat.s32", [0x7FFFFFFF, 1], 0x7FFFFFFF),
    ("add.s16x2", [0x7FFFFFFF, 0x00010002], 0x80000001),
    ("min.s16x2", [0xFFFF0001, 0x00010002], 0xFFFF0001),
    ("max.u16x2", [0xFFFF0001, 0x00010002], 0xFFFF0002),
    ("mul.hi.s32", [0x80000000, 2], 0xFFFFFFFF),
    ("mul.hi.u64", [1 << 63, 6], 3),
    ("mul.wide.s32", [0xFFFFFFFF, 3], 2**64 - 3),
    ("mul.wide.u32", [0xFFFFFFFF, 3], 3 * 0xFFFFFFFF),
    ("mad.lo.s32", [5, 7, 0xFFFFFFFF], 34),
    ("div.s32", [0xFFFFFFF9, 2], 0xFFFFFFFD),
    ("rem.s32", [0xFFFFFFF9, 2], 0xFFFFFFFF),
    ("div.s64", [1 << 63, 2**64 - 1], 1 << 63),
    ("min.s32", [0xFFFFFFFF, 1], 0xFFFFFFFF),
    ("min.u32", [0xFFFFFFFF, 1], 1),
    ("shl.b32", [1, 32], 0),
    ("shr.u32", [0x80000000, 31], 1),
    ("shr.s32", [0x80000000, 40], 0xFFFFFFFF),
    ("shr.s64", [1 << 63, 64], 2**64 - 1),
    ("shf.l.wrap.b32", [0x80000001, 2, 1], 5),
    ("shf.r.wrap.b32", [0x80000001, 3, 1], 0xC0000000),
    ("shf.r.clamp.b32", [1, 3, 40], 3),
    ("prmt.b32", [0x33221100, 0x77665544, 0x7531], 0x77553311),
    ("prmt.b32", [0x00008000, 0, 0x9991], 0xFFFFFF80),
    ("prmt.b32.f4e", [0x33221100, 0x77665544, 2], 0x55443322),
    ("prmt.b32.b4e", [0x33221100, 0x77665544, 1], 0x66770011),
    ("prmt.b32.rc16", [0x33221100, 0, 1], 0x33223322),
    ("bfe.u32", [0xABCD1234, 8, 8], 0x12),
    ("bfe.s32", [0xABCDF234, 8, 8], 0xFFFFFFF2),
    ("bfe.s64", [1 << 63, 60, 8], 2**64 - 8),
    ("bfe.u64", [0xABCD << 32, 32, 8], 0xCD),
    ("bfi.b32", [0xFF, 0, 4, 4], 0xF0),
    ("popc.b64", [2**64 - 1], 64),
    ("clz.b32", [1], 31),
    ("brev.b32", [1], 0x80000000),
    ("lop3.b32", [0xF0, 0xCC, 0xAA, 0x96], 0xF0 ^ 0xCC ^ 0xAA),
    ("not.b32", [0], 0xFFFFFFFF),
    ("add.f32", [f32(INF), f32(-INF)], NAN32),
    ("add.ftz.f32", [TINY, TINY], 0),
    ("add.f32", [TINY, TINY], 2),
    ("add.sat.f32", [f32(1), f32(1)], f32(1)),
    ("fma.rn.f32", [f32(1 + 2**-23), f32(1 - 2**-23), f32(-1)], f32(-(2**-46))),
    ("max.f32", [NAN32, f32(1)], f32(1)),
    ("max.NaN.f32", [NAN32, f32(1)], NAN32),
    ("max.f32", [f32(-0.0), f32(0)], f32(0)),
    ("min.f32", [f32(-0.0), f32(0)], f32(-0.0)),
    ("min.NaN.f32", [f32(1), NAN32], NAN32),
    ("neg.f32", [f32(0)], f32(-0.0)),
    ("abs.f64", [f64(-2)], f64(2)),
    ("copysign.f32", [f32(-1), f32(2)], f32(-2)),
    ("add.f16x2", [0x3C004000, 0x3C004000], 0x40004400),
    ("neg.bf16x2", [0x3F800000], 0xBF808000),
    ("rcp.rn.f32", [f32(4)], f32(0.25)),
    ("ex2.approx.ftz.f32", [f32(-149)], 0),
    ("ex2.approx.f32", [f32(-149)], TINY),
    ("lg2.approx.f32", [f32(8)], f32(3)),
    ("rsqrt.approx.f32", [f32(0)], f32(INF)),
    ("tanh.approx.f32", [f32(INF)], f32(1)),
    ("cvt.rzi.s32.f32", [f32(-1.9)], 0xFFFFFFFF),
    ("cvt.rzi.s32.f32", [f32(3e9)], 0x7FFFFFFF),
    ("cvt.rzi.s32.f32", [NAN32], 0),
    ("cvt.rzi.u32.f64", [f64(-1)], 0),
    ("cvt.rzi.s64.f64", [f64(1e30)], 2**63 - 1),
    ("cvt.rzi.s64.f64", [f64(float("nan"))], 1 << 63),
    ("cvt.rni.f32.f32", [f32(2.5)], f32(2)),
    ("cvt.rmi.f32.f32", [f32(-2.5)], f32(-3)),
    ("cvt.rpi.f64.f64", [f64(-0.5)], f64(-0.0)),
    ("cvt.rn.f32.f64", [f64(1 + 2**-24)], f32(1)),
    ("cvt.rp.f32.f64", [f64(1 + 2**-24)], f32(1 + 2**-23)),
    ("cvt.rn.f32.s64", [2**64 - 1], f32(-1)),
    ("cvt.s8.s32", [0x1080], 2**64 - 128),
    ("cvt.sat.s8.s32", [0xFFFF0000], 2**64 - 128),
    ("cvt.rn.f16x2.f32", [f32(1), f32(65520)], 0x3C007C00),
    ("cvt.rz.f16x2.f32", [f32(1), f32(65520)], 0x3C007BFF),
    ("cvt.rn.bf16x2.f32", [f32(1 + 2**-8), f32(1 + 3 * 2**-8)], 0x3F803F82),
    ("cvt.rn.bf16x2.f32", [NAN32, 0xFFFFFFFF], 0x7FFF7FFF),
    ("cvt.rn.f16x2.f32", [f32(2**-25), f32(2**-24)], 0x00000001),
    ("cvt.s64.s32", [0x80000000], 0xFFFFFFFF80000000),
    ("cvt.u32.u64", [2**32 + 5], 5),
    ("cvt.s64.s8", [0x80], 2**64 - 128),
    ("cvt.sat.u8.s32", [0xFFFFFFFF], 0),
    ("selp.b32.lt.s32", [0xFFFFFFFF, 1], 1),
    ("selp.b32.lt.u32", [0xFFFFFFFF, 1], 0),
    ("selp.b32.ne.f32", [NAN32, NAN32], 0),
    ("selp.b32.neu.f32", [NAN32, NAN32], 1),
    ("selp.b32.geu.f32", [NAN32, f32(1)], 1),
    ("selp.b32.num.f32", [f32(1), f32(2)], 1),
    ("selp.b32.nan.f64", [f64(1), f64(float("nan"))], 1),
    ("selp.b32.eq.f32", [f32(-0.0), f32(0)], 1),
]


def body(opcode, operands):
    lines = [".reg .b64 %rd<9>; .reg .pred %p<2>;", "ld.param.u64 %rd0, [p0];", "mov.b64 %rd8, 0;"]
    lines += [f"mov.b64 %rd{i + 1}, 0x{value:x};" for i, value in enumerate(operands)]
    registers = ", ".join(f"%rd{i + 1}" for i in range(len(operands)))
    if opcode.startswith("selp.b32."):
        lines += [f"setp.{opcode[9:]} %p0, {registers};", "selp.b32 %rd8, 1, 0, %p0;"]
    else:
        lines.append(f"{opcode} %rd8, {registers};")
    return "\n".join([*lines, "st.global.b64 [%rd0], %rd8;"])


device = Device()
memory = device.allocate(8)
for opcode, operands, expected in CASES:
    error = device.launch(body(opcode, operands), [memory])
    result = struct.unpack("<Q", device.read(memory, 8))[0]
    if error or result != expected:
        print(f"{opcode} of {', '.join(hex(value) for value in operands)} is 0x{result:x}, not 0x{expected:x}, error {error}")
print(f"{len(CASES)} instructions ran")

# What threads do together: 64 of them in a block, in clusters of two.
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\nld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x;\n"
STORE = "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1; st.global.b32 [%rd1], %r1;"
# 1 and the lane's column in pairs of bf16, 0 and 1 to add.
FLOATS = (".reg .f32 %f<6>;\nshr.u32 %r2, %r0, 2; and.b32 %r2, %r2, 7; cvt.rn.f32.u32 %f0, %r2; "
          "cvt.rn.bf16x2.f32 %r5, %f0, %f0; mov.b32 %r4, 0x3F803F80; mov.f32 %f4, 0f00000000; mov.f32 %f5, 0f3F800000;\n")
TOGETHER = {
    "shfl.sync.bfly.b32 %r1, %r0, 3, 31, -1;": [i ^ 3 for i in range(64)],
    "shfl.sync.down.b32 %r1, %r0, 1, 31, -1;": [min(i + 1, i | 31) for i in range(64)],
    "shfl.sync.up.b32 %r1, %r0, 1, 0, -1;": [max(i - 1, i & ~31) for i in range(64)],
    "shfl.sync.idx.b32 %r1, %r0, 2, 0x1807, -1;": [i & ~7 | 2 for i in range(64)],
    "setp.lt.u32 %p0, %r0, 3; vote.sync.ballot.b32 %r1, %p0, -1;": [7] * 32 + [0] * 32,
    "redux.sync.max.u32 %r1, %r0, -1;": [31] * 32 + [63] * 32,
    "atom.global.add.u32 %r1, [%rd0+256], 1;": list(range(64)),
    ".shared .align 4 .b8 tile[256];\nmov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3; "
    "st.shared.b32 [%rd3], %r0; bar.sync 0; xor.b32 %r2, %r0, 63; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd2, %rd3; "
    "ld.shared.b32 %r1, [%rd3];": [63 - i for i in range(64)],
    # A bulk copy of what the threads have stored, for which they wait at a barrier in memory.
    ".shared .align 128 .b8 tile[256]; .shared .align 8 .b8 full[8]; .reg .pred P1;\n"
    "mul.lo.s32 %r1, %r0, 3; " + STORE + "mov.b64 %rd2, tile; mov.b64 %rd3, full; setp.ne.u32 %p0, %r0, 0; @%p0 bra REST;\n"
    "mbarrier.init.shared.b64 [%rd3], 1; fence.mbarrier_init.release.cluster;\n"
    "REST: bar.sync 0; @%p0 bra WAIT;\nmbarrier.arrive.expect_tx.shared.b64 %rd4, [%rd3], 256;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd2], [%rd0], 256, [%rd3];\n"
    "WAIT: { WAIT: mbarrier.try_wait.parity.shared.b64 P1, [%rd3], 0; @P1 bra DONE; bra WAIT; DONE: }\n"
    "xor.b32 %r2, %r0, 63; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd2, %rd3; ld.shared.b32 %r1, [%rd3]; bar.sync 0;":
        [3 * (63 - i) for i in range(64)],
    # Copies of 16 bytes, of which the last thread's has 4, for which the threads wait.
    ".shared .align 16 .b8 tile[256];\nmul.lo.s32 %r1, %r0, 3; add.s32 %r1, %r1, 1; " + STORE + "bar.sync 0; setp.gt.u32 %p0, %r0, 15; @%p0 bra REST;\n"
    "mov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 16; add.s64 %rd4, %rd0, %rd3; add.s64 %rd3, %rd2, %rd3; setp.eq.u32 %p1, %r0, 15; "
    "selp.b32 %r3, 4, 16, %p1; cp.async.cg.shared.global [%rd3], [%rd4], 16, %r3; cp.async.commit_group; cp.async.wait_group 0;\n"
    "REST: bar.sync 0; mov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3; ld.shared.b32 %r1, [%rd3];":
        [3 * i + 1 if i < 61 else 0 for i in range(64)],
    # Ones times columns of their own number, and 1 to add to the last element of each lane.
    FLOATS + "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r4, %r4}, {%r5}, {%f4, %f4, %f4, %f5}; "
    "fma.rn.f32 %f0, %f3, 0f447A0000, %f0; cvt.rzi.u32.f32 %r1, %f0;":
        [16 * (i % 4) + 1000 * (8 * (2 * (i % 4) + 1) + 1) for i in range(64)],
    FLOATS + "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, {%r5, %r5}, "
    "{%f4, %f4, %f4, %f5}; fma.rn.f32 %f0, %f3, 0f447A0000, %f1; cvt.rzi.u32.f32 %r1, %f0;":
        [16 * (2 * (i % 4) + 1) + 1000 * (16 * (2 * (i % 4) + 1) + 1) for i in range(64)],
    # The same of f16, and of bytes of 1 and of the column.
    FLOATS + "cvt.rn.f16x2.f32 %r5, %f0, %f0; mov.b32 %r4, 0x3C003C00;\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, {%r5, %r5}, "
    "{%f4, %f4, %f4, %f5}; fma.rn.f32 %f0, %f3, 0f447A0000, %f1; cvt.rzi.u32.f32 %r1, %f0;":
        [16 * (2 * (i % 4) + 1) + 1000 * (16 * (2 * (i % 4) + 1) + 1) for i in range(64)],
    "shr.u32 %r2, %r0, 2; and.b32 %r2, %r2, 7; mul.lo.s32 %r5, %r2, 0x01010101; mov.b32 %r4, 0x01010101; mov.b32 %r6, 7;\n"
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r2, %r1, %r3, %r7}, {%r4, %r4, %r4, %r4}, {%r5, %r5}, {%r6, %r6, %r6, %r6};":
        [32 * (2 * (i % 4) + 1) + 7 for i in range(64)],
    # Lane 4 r + t has the words of row r of each matrix, or the halves of column r.
    ".shared .align 16 .b8 tile[256];\nmov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3; st.shared.b32 [%rd3], %r0; "
    "bar.sync 0; and.b32 %r2, %r0, 15; mul.wide.u32 %rd3, %r2, 16; add.s64 %rd3, %rd2, %rd3;\n"
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r3}, [%rd3]; mad.lo.s32 %r1, %r3, 100, %r1;":
        [i % 32 + 100 * (32 + i % 32) for i in range(64)],
    ".shared .align 16 .b8 tile[256];\nmov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3; st.shared.b32 [%rd3], %r0; "
    "bar.sync 0; and.b32 %r2, %r0, 15; mul.wide.u32 %rd3, %r2, 16; add.s64 %rd3, %rd2, %rd3;\n"
    "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r3, %r1}, [%rd3];":
        [0 if i // 4 % 2 else (32 + i % 4 * 8 + i % 32 // 8) | (32 + i % 4 * 8 + 4 + i % 32 // 8) << 16 for i in range(64)],
    # A barrier in memory waits for the copies that all threads have started.
    ".shared .align 16 .b8 tile[256]; .shared .align 8 .b8 full[8]; .reg .pred P1;\nmul.lo.s32 %r1, %r0, 3; " + STORE +
    "mov.b64 %rd2, tile; mov.b64 %rd3, full; setp.ne.u32 %p0, %r0, 0; @%p0 bra REST; mbarrier.init.shared.b64 [%rd3], 64;\n"
    "REST: bar.sync 0; mul.wide.u32 %rd4, %r0, 4; add.s64 %rd5, %rd2, %rd4; add.s64 %rd4, %rd0, %rd4; cp.async.ca.shared.global [%rd5], [%rd4], 4; "
    "cp.async.mbarrier.arrive.shared.b64 [%rd3]; mbarrier.arrive.shared.b64 %rd4, [%rd3];\n"
    "{ WAIT: mbarrier.test_wait.parity.shared.b64 P1, [%rd3], 0; @P1 bra DONE; bra WAIT; DONE: }\n"
    "xor.b32 %r2, %r0, 63; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd2, %rd4; ld.shared.b32 %r1, [%rd4]; bar.sync 0;":
        [3 * (63 - i) for i in range(64)],
    # The right operand in shared memory, of which each row is its own number.
    FLOATS + ".shared .align 1024 .b8 tile[1024]; .reg .pred q;\nmov.b64 %rd2, tile; shr.u32 %r2, %r0, 3; "
    "cvt.rn.f32.u32 %f1, %r2; cvt.rn.bf16x2.f32 %r5, %f1, %f1; mul.wide.u32 %rd3, %r0, 16; add.s64 %rd3, %rd2, %rd3; "
    "st.shared.v4.b32 [%rd3], {%r5, %r5, %r5, %r5}; bar.sync 0; shr.u64 %rd3, %rd2, 4; and.b64 %rd3, %rd3, 0x3FFF; "
    "or.b64 %rd3, %rd3, 0x4000004000010000; setp.ne.b32 q, 0, 0; wgmma.fence.sync.aligned; "
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, %rd3, q, 1, 1, 0; "
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; cvt.rzi.u32.f32 %r1, %f1;":
        [16 * (2 * (i % 4) + 1) for i in range(64)],
    # Row r of matrix m is where lane 8 m + r says, its words are those of lanes 4 r to 4 r + 3.
    ".shared .align 16 .b8 tile[1024];\nmov.b64 %rd2, tile; mul.wide.u32 %rd3, %r0, 16; add.s64 %rd3, %rd2, %rd3; "
    "and.b32 %r2, %r0, 31; mul.lo.s32 %r2, %r2, 10; add.s32 %r3, %r2, 1; "
    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%rd3], {%r2, %r3, %r2, %r3}; bar.sync 0; mul.wide.u32 %rd3, %r0, 4; "
    "add.s64 %rd3, %rd2, %rd3; ld.shared.b32 %r1, [%rd3];": [10 * (i % 32) + i // 32 for i in range(64)],
}
memory = device.allocate(260)
for text, expected in TOGETHER.items():
    device.write(memory, bytes(260))
    error = device.launch(REGISTERS + text + STORE, [memory], threads=64)
    result = list(struct.unpack("<64I", device.read(memory, 256)))
    if error or result != expected:
        print(f"{text} gives {result}, not {expected}, error {error}")

# A block reads what its neighbor in the cluster has stored.
error = device.launch(
    REGISTERS + ".shared .align 4 .b8 tile[4];\nmov.u32 %r2, %cluster_ctarank; mov.b64 %rd2, tile; st.shared.b32 [%rd2], %r2; "
    "barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r3, %r2, 1; mapa.shared::cluster.u64 %rd3, %rd2, %r3; "
    "ld.shared::cluster.b32 %r1, [%rd3]; mov.u32 %r0, %ctaid.x; barrier.cluster.arrive; barrier.cluster.wait; " + STORE,
    [memory], blocks=4, attributes=".reqnctapercluster 2, 1, 1")
result = list(struct.unpack("<4I", device.read(memory, 16)))
if error or result != [1, 0, 1, 0]:
    print(f"the cluster gives {result}, error {error}")
print(f"{len(TOGETHER) + 1} kernels of many threads ran")
