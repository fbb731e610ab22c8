"""Kernels that do what they may not: prints the error of each launch, behind what the stand-in says about it."""

import sys

from stand_in import Device

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\nld.param.u64 %rd0, [p0];\n"
MEMORY_BARRIER = ("mov.b64 %rd1, dynamic; add.s64 %rd3, %rd1, 16; mbarrier.init.shared.b64 [%rd1], 1;\n")
CASES = {
    "behind the allocation": "st.global.b32 [%rd0+64], 1;",
    "across its end": "mov.b64 %rd1, 0; st.global.v2.b64 [%rd0+48], {%rd1, %rd1};",
    "ahead of it": "ld.global.b8 %r0, [%rd0+-1];",
    "of no pointer": "mov.b64 %rd1, 0; ld.global.b32 %r0, [%rd1];",
    "of no pointer at all": "mov.b64 %rd1, 0; atom.add.u32 %r0, [%rd1], 1;",
    "misaligned": "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0+8];",
    "behind shared memory": ".shared .align 16 .b8 tile[32];\nmov.b64 %rd1, tile; ld.shared.b32 %r0, [%rd1+160];",
    "behind dynamic shared memory": "mov.b64 %rd1, dynamic; st.shared.b64 [%rd1+128], %rd0;",
    "behind local memory": ".local .align 8 .b8 depot[8];\nmov.b64 %rd1, depot; st.local.b64 [%rd1+8], %rd0;",
    "behind the parameters": "ld.param.b64 %rd1, [p0+8];",
    "global memory as shared": "ld.shared.b32 %r0, [%rd0];",
    "not all at a barrier": "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra END;\nbar.sync 0;\nEND: ret;",
    "half a warp at a barrier":
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; @%p0 bra OTHER;\nbar.sync 0;\nret;\nOTHER: bar.sync 0;\nret;",
    "not all in a shuffle":
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 1; @%p0 bar.sync 0; shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;",
    "barrier of a cluster twice": "barrier.cluster.arrive; barrier.cluster.arrive;",
    "wait for a phase without an end":
        MEMORY_BARRIER + "mbarrier.try_wait.parity.shared.b64 %p0, [%rd1], 0;",
    "more arrivals than a phase has":
        MEMORY_BARRIER + "mbarrier.arrive.expect_tx.shared.b64 %rd2, [%rd1], 16; mbarrier.arrive.shared.b64 %rd2, [%rd1];",
    "copy of half a unit":
        MEMORY_BARRIER + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd3], [%rd0], 8, [%rd1];",
    "copy that nobody waits for":
        MEMORY_BARRIER + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd3], [%rd0], 16, [%rd1];",
    "no tensor map":
        "mov.b64 %rd1, dynamic; cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r0}], [%rd1];",
    "part of a warp that multiplies":
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16; @%p0 exit; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
        "{%r0, %r1, %r2, %r3}, %rd1, %rd1, %p0, 1, 1, 0, 0;",
    "trap": "trap;",
    "unknown instruction": "mma.sync.aligned.m16n8k16.row.col %r0, %r1;",
    "unknown part of an instruction": "add.rz.f32 %r0, %r1, %r2;",
    "unknown special register": "mov.u32 %r0, %smid;",
    "unknown label": "bra NOWHERE;",
    "write to a constant": "add.s32 1, %r0, %r1;",
    "operands": "add.s32 %r0, %r1;",
}

for ordinal, (name, body) in enumerate(CASES.items()):
    device = Device(ordinal)
    memory = device.allocate(60)
    error = device.launch(REGISTERS + body, [memory], module=".extern .shared .align 16 .b8 dynamic[];", threads=64,
                          shared=128)
    sys.stderr.flush()
    print(f"{name}: error {error}", flush=True)
