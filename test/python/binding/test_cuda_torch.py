"""Tensors of torch on a CUDA device: shared without copies, on torch's current stream."""

import concurrent.futures

import pytest

torch = pytest.importorskip("torch")
import tc  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")

SOURCE = """func.func @main(%x: tensor<?x?xf32, #tc.sizes<[m, n]>>, %y: tensor<?x?xf32, #tc.sizes<[m, n]>>)
    -> tensor<?x?xf32, #tc.sizes<[m, n]>>
    attributes {tc.symbols = [#tc.symbol<"m", min = 1, max = 100000>, #tc.symbol<"n", min = 1, max = 100000>]} {
  %0 = tc.add %x, %y : tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[m, n]>>
}"""
GATHER = """func.func @main(%x: tensor<6x3xf32>, %i: tensor<6x10xi64>) -> tensor<6x10xf32> {
  %r = tc.gather %x[%i] dim 1 : tensor<6x3xf32>, tensor<6x10xi64> -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}"""


def random(*sizes):
    return torch.randn(*sizes, device="cuda")


@pytest.fixture(scope="module")
def add():
    return tc.compile(SOURCE, device="cuda")


def test_results_are_tensors_of_the_device(add):
    x, y = random(500, 300), random(500, 300)
    result = add(x, y)
    assert result.device == x.device
    torch.testing.assert_close(result, x + y)


def test_inputs_that_are_not_row_major(add):
    x, y = random(300, 500), random(500, 300)
    torch.testing.assert_close(add(x.t(), y), x.t() + y)


def test_the_current_stream_orders_everything(add):
    """A long chain on each of two streams: a call that did not wait for the one before
    would read what is not there yet."""
    streams = [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    results = []
    for stream in streams:
        with torch.cuda.stream(stream):
            value = torch.ones(4000, 4000, device="cuda")
            for _ in range(20):
                value = add(value, value.clone()) * 0.5
            results.append(value)
    torch.cuda.synchronize()
    for value in results:
        assert torch.equal(value, torch.ones_like(value))


def test_memory_is_reused_safely_after_its_tensors_are_gone(add):
    x = random(2000, 2000)
    expected = [x + x]
    for _ in range(50):
        expected.append(add(expected[-1], x))
    sums = x.double() * 52
    torch.testing.assert_close(expected[-1].double(), sums, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_an_index_out_of_range_is_reported_later_and_calls_work_again(mode):
    gather = tc.compile(GATHER, device="cuda", mode=mode)
    x, wrong = random(6, 3), torch.full((6, 10), 7, device="cuda")
    index = torch.randint(0, 3, (6, 10), device="cuda")
    for _ in range(4):
        gather(x, wrong)
        with pytest.raises(tc.IndexOutOfRange, match="an index is out of the range"):
            tc.synchronize()
        torch.testing.assert_close(gather(x, index), torch.gather(x, 1, index))
    gather(x, wrong)
    torch.cuda.synchronize()
    with pytest.raises(tc.IndexOutOfRange, match="an earlier call failed: an index is out of the range"):
        gather(x, index)
    torch.testing.assert_close(gather(x, index), torch.gather(x, 1, index))


def test_an_index_out_of_range_is_reported_at_once_where_that_is_asked_for():
    gather = tc.compile(GATHER, device="cuda", launch_blocking=True)
    x = random(6, 3)
    with pytest.raises(tc.IndexOutOfRange, match="an index is out of the range"):
        gather(x, torch.full((6, 10), 7, device="cuda"))
    index = torch.randint(0, 3, (6, 10), device="cuda")
    torch.testing.assert_close(gather(x, index), torch.gather(x, 1, index))


def test_tensors_of_the_host_are_refused(add):
    with pytest.raises(tc.InvalidArgument, match="is not in the memory of a CUDA device"):
        add(random(4, 4), torch.ones(4, 4))


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one CUDA device")
def test_two_devices(add):
    x = torch.randn(4, 4, device="cuda:1")
    with pytest.raises(tc.InvalidArgument, match="is on CUDA device 1, expected device 0"):
        add(x, x)
    result = tc.compile(SOURCE, device="cuda:1")(x, x)
    assert result.device == x.device
    torch.testing.assert_close(result, x + x)


CHAIN = """func.func @main(%x: tensor<?x16xf32, #tc.sizes<[m, 16]>>, %w: tensor<16x16xf32>)
    -> tensor<?x16xf32, #tc.sizes<[m, 16]>> attributes {tc.symbols = [#tc.symbol<"m", min = 1, max = 1000>]} {
  %0 = tc.contract "ij,jk->ik" %x, %w : tensor<?x16xf32, #tc.sizes<[m, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[m, 16]>>
  %1 = tc.contract "ij,jk->ik" %0, %w : tensor<?x16xf32, #tc.sizes<[m, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[m, 16]>>
  %2 = tc.contract "ij,jk->ik" %1, %w : tensor<?x16xf32, #tc.sizes<[m, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[m, 16]>>
  return %2 : tensor<?x16xf32, #tc.sizes<[m, 16]>>
}"""


def expect_chains(calls):
    """Results that are held are still those of their inputs."""
    torch.cuda.synchronize()
    for x, w, result in calls:
        torch.testing.assert_close(result, (x.double() @ w.double() @ w.double() @ w.double()).float(), rtol=1e-4, atol=1e-4)


def call_repeatedly(chain, count):
    """Calls with several sizes, fresh inputs and results that become inputs."""
    calls = []
    for turn in range(count):
        x = random(1 + turn % 3, 16) if turn % 2 or turn < 12 else calls[-12][2]
        w = random(16, 16) / 16
        calls.append((x, w, chain(x, w)))
    return calls


def test_graphs_overwrite_no_result_and_follow_their_inputs():
    chain = tc.compile(CHAIN, device="cuda", mode="reduce-overhead")
    expect_chains(call_repeatedly(chain, 60))
    assert chain.explain(random(2, 16), random(16, 16)).count("1 CUDA graph of 3 kernels") == 3


@pytest.mark.parametrize("has_streams", [True, False])
def test_graphs_on_several_threads(has_streams):
    chain = tc.compile(CHAIN, device="cuda", mode="reduce-overhead")

    def work(_):
        with torch.cuda.stream(torch.cuda.Stream() if has_streams else torch.cuda.default_stream()):
            calls = call_repeatedly(chain, 60)
            torch.cuda.current_stream().synchronize()
            return calls

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for calls in pool.map(work, range(4)):
            expect_chains(calls)


STRIDED = """func.func @main(%x: tensor<?x?xf32, #tc.sizes<[m, n]>> {tc.strides = [#tc.expr<STRIDES>]})
    -> tensor<?x?xf32, #tc.sizes<[m, n]>>
    attributes {tc.symbols = [#tc.symbol<"m", min = 1, max = 100000>, #tc.symbol<"n", min = 1, max = 100000>]} {
  %0 = tc.exp %x : tensor<?x?xf32, #tc.sizes<[m, n]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[m, n]>>
}"""


@pytest.mark.parametrize("strides", ["n + 24>, #tc.expr<1", "n * 2>, #tc.expr<2", "1>, #tc.expr<m"])
def test_inputs_with_strides(strides):
    """Those that are expected are read where they are, others copied to them."""
    exp = tc.compile(STRIDED.replace("STRIDES", strides), device="cuda")
    for rows, columns in ((500, 300), (1, 300), (500, 1), (37, 129)):
        for x in (random(rows, columns + 24)[:, :columns], random(rows, 2 * columns)[:, ::2],
                  random(columns, rows).t(), random(rows, columns)):
            torch.testing.assert_close(exp(x), x.exp())
