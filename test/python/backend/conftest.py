"""Every test starts without compiled functions and with the same random numbers, on the CPU and, where there
is one, with a CUDA device as the default of the tensors that it makes."""

import sys

import pytest

# Tests that are about the host alone, or make tensors on devices themselves.
OF_THE_HOST = ("test_opinfo", "test_own_samples", "test_package", "test_logs", "test_bisection", "test_host_constants", "test_host_pieces",
               "test_two_devices")


def pytest_configure(config):
    config.addinivalue_line("markers", "host: a test of what PyTorch has for the CPU alone")


def pytest_generate_tests(metafunc):
    torch = pytest.importorskip("torch")
    is_of_the_host = metafunc.module.__name__ in OF_THE_HOST or metafunc.definition.get_closest_marker("host")
    if torch.cuda.is_available() and not is_of_the_host:
        metafunc.parametrize("default_device", ["cpu", "cuda"], indirect=True)


@pytest.fixture(autouse=True)
def default_device(request):
    torch = pytest.importorskip("torch")
    device = getattr(request, "param", "cpu")
    if device == "cpu":  # as without it, so that programs have no mode to be guarded
        yield device
        return
    torch.set_default_device(device)
    had_tf32, torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.allow_tf32, False  # eager PyTorch's convolutions
    try:
        yield device
    finally:
        torch.backends.cudnn.allow_tf32 = had_tf32
        torch.set_default_device(None)


@pytest.fixture(autouse=True)
def fresh(default_device):
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    torch.manual_seed(0)
    if torch_backend := sys.modules.get("tc.torch_backend"):
        torch_backend.compiled_graphs.clear()


@pytest.fixture
def no_gradients():
    import torch

    with torch.no_grad():
        yield


@pytest.fixture
def plans(monkeypatch):
    """The sources of the results of each graph that is compiled, forward graphs first; None for one with a driver in
    Python."""
    from tc import torch_backend, torch_driver
    found = []

    def plan(*arguments):
        made = torch_driver.plan_driver(*arguments)
        found.append(made and made[1])
        return made

    monkeypatch.setattr(torch_backend, "plan_driver", plan)
    return found
