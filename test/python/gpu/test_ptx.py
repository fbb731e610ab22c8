"""The counter of executed PTX instructions on kernels whose count is plain."""

import pytest

import ptx

LOOP = """
.version 8.6
.target sm_90a
.visible .entry loop(
	.param .u64 .ptr .align 1 loop_param_0,
	.param .u64 loop_param_1
)
.maxntid 128, 1, 1
{
	.reg .pred 	%p<3>;
	ld.param.b64 	%rd1, [loop_param_0];
	ld.param.b64 	%rd2, [loop_param_1];
	mov.u32 	%r1, %tid.x;
	cvt.u64.u32 	%rd3, %r1;   // the first point of the thread
	setp.ge.s64 	%p1, %rd3, %rd2;
	@%p1 bra 	$L__BB0_2;
$L__BB0_1:
	ld.global.v4.b32 	{%r2, %r3, %r4, %r5}, [%rd1+16];
	// begin inline asm
	{ .reg .f32 t; ex2.approx.f32 %r6, %r2; }
	// end inline asm
	setp.gt.f32 	%p2, %r6, 0f3F800000;
	@%p2 bra 	$L__BB0_2;
	add.s64 	%rd3, %rd3, 128;
	setp.lt.s64 	%p1, %rd3, %rd2;
	@%p1 bra 	$L__BB0_1;
$L__BB0_2:
	ret;
}
"""
BEFORE, AROUND, AFTER = 6, 7, 1  # instructions of LOOP


@pytest.mark.parametrize("points, rounds", [(0, 0), (1, 1), (128, 1), (129, 2), (1280, 10)])
def test_loops_are_followed(points, rounds):
    kernel = ptx.Kernel(LOOP)
    assert kernel.name == "loop"
    assert kernel.count(ptx.Launch(1, 128, (4096, points)), 0, 0) == BEFORE + rounds * AROUND + AFTER


def test_threads_differ():
    launch = ptx.Launch(3, 128, (4096, 129))
    kernel = ptx.Kernel(LOOP)
    assert kernel.count(launch, 0, 0) - kernel.count(launch, 1, 0) == AROUND
    sampled = [kernel.count(launch, thread, 1) for thread in (0, 33, 64, 127)]
    assert kernel.count_in_launch(launch) == sum(sampled) / 4 * 3 * 128


@pytest.mark.parametrize("statement, expected", [
    ("add.s32 %r1, 7, -9", -2), ("shr.s32 %r1, -8, 1", -4), ("shr.u32 %r1, -8, 1", 0x7ffffffc),
    ("mul.wide.u32 %r1, -1, 2", 0x1fffffffe), ("mul.hi.u32 %r1, -1, 2", 1), ("rem.s64 %r1, -7, 3", -1),
    ("div.s64 %r1, -7, 3", -2), ("min.s32 %r1, -1, 1", -1), ("min.u32 %r1, -1, 1", 1), ("mad.lo.s32 %r1, 3, 4, 5", 17),
    ("bfe.u32 %r1, 0xf0, 4, 2", 3), ("cvt.s64.s32 %r1, 0xffffffff", -1), ("cvt.u64.u32 %r1, -1", 0xffffffff),
    ("and.b32 %r1, 12, 10", 8), ("add.f32 %r1, 0f3F800000, 0f3F800000", None)])
def test_integers(statement, expected):
    kernel = ptx.Kernel(LOOP)
    machine = ptx._Machine(kernel, ptx.Launch(1, 128, (0, 0)), 0, 0)
    machine.execute(ptx._parse_instruction(statement))
    value = machine.registers["%r1"]
    assert value is None if expected is None else ptx._signed(value - expected, 32) == 0


def test_a_kernel_that_does_not_end_is_an_error():
    endless = LOOP.replace("add.s64 	%rd3, %rd3, 128;", "")
    with pytest.raises(RuntimeError, match="loop executes more than 200000 instructions in one thread"):
        ptx.Kernel(endless).count(ptx.Launch(1, 128, (4096, 128)), 0, 0)


def test_labels_of_inline_assembly_are_its_own():
    wait = "{ .reg .pred P1; WAIT: mbarrier.try_wait.parity.shared.b64 P1, [%rd1], 0; @P1 bra.uni DONE; bra.uni WAIT; DONE: }"
    once, twice = (ptx.Kernel(LOOP.replace("ret;", f"{text}\n\tret;")) for text in (wait, wait + "\n" + wait))
    launch = ptx.Launch(1, 128, (4096, 128))
    assert twice.count(launch, 0, 0) - once.count(launch, 0, 0) == 2
