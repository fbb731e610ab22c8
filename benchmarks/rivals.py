"""TC and its rivals, each as a callable that computes a row once.

A rival is `make(row_name, module, inputs, directory)`: it returns a function
without arguments whose result, or first result, `to_torch` converts to a tensor;
it raises Unavailable where the library is missing or cannot express the row.
Whatever can be done before the first call is done in it: compiling, sharing the
memory of inputs, warming up.
"""

import importlib.metadata
import os

import torch


class Unavailable(Exception):
    """Why a rival has no figure for a row."""


def export(module, inputs, directory):
    """The row as a .pt2 archive."""
    path = os.path.join(directory, "row.pt2")
    with torch.no_grad():
        torch.export.save(torch.export.export(module, inputs), path)
    return path


def export_onnx(module, inputs, directory):
    """The row as an ONNX model; the libraries that read it have no bf16 kernels
    for CPUs."""
    if any(value.dtype == torch.bfloat16 for value in inputs):
        raise Unavailable("read from ONNX, this library has no bf16 kernels on CPUs")
    path = os.path.join(directory, "row.onnx")
    with torch.no_grad():
        torch.onnx.export(module, inputs, path, dynamo=True, verbose=False)
    return path


class TC:
    name = "tc"

    def __init__(self, threads):
        import tc
        self.tc = tc
        tc.set_thread_count(threads)
        self.version = tc.__version__

    def make(self, _, module, inputs, directory):
        from tc.arrays import to_array
        self.compiled = self.tc.compile(export(module, inputs, directory))
        arrays = [to_array(value) for value in inputs]
        return lambda: self.compiled.call_arrays(arrays)

    def describe(self):
        """The figures of TC's own code for the last row."""
        return {"kernels": len(self.compiled.kernels),
                "compile_seconds": sum(self.compiled.timings.values())}

    def to_torch(self, outputs):
        return torch.from_dlpack(outputs[0])


class Eager:
    name = "eager"
    version = torch.__version__

    def __init__(self, threads):
        torch.set_num_threads(threads)

    def make(self, _, module, inputs, __):
        return lambda: module(*inputs)

    def to_torch(self, output):
        return output


class Compile(Eager):
    name = "torch.compile"

    def make(self, _, module, inputs, __):
        torch.compiler.reset()
        compiled = torch.compile(module)
        return lambda: compiled(*inputs)


class JAX:
    name = "jax"

    def __init__(self, threads):
        # XLA's pool has a thread for each CPU the process may run on.
        os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
        try:
            import jax
        except ImportError as error:
            raise Unavailable(str(error)) from None
        if threads not in (1, len(os.sched_getaffinity(0))):
            raise Unavailable(f"JAX uses all {len(os.sched_getaffinity(0))} CPUs, not {threads}")
        jax.config.update("jax_platforms", "cpu")
        self.jax, self.version = jax, jax.__version__

    def make(self, name, module, inputs, _):
        import jax_models
        if name not in jax_models.FUNCTIONS:
            raise Unavailable("no JAX version of this row")
        parameters = jax_models.parameters(module)
        function = self.jax.jit(lambda *arrays: jax_models.FUNCTIONS[name](parameters, *arrays))
        arrays = [jax_models.to_jax(value) for value in inputs]
        return lambda: function(*arrays).block_until_ready()

    def to_torch(self, output):
        return torch.from_dlpack(output)


class ONNXRuntime:
    name = "onnxruntime"

    def __init__(self, threads):
        try:
            import onnxruntime
            import onnxscript  # noqa: F401, what torch.onnx exports with
        except ImportError as error:
            raise Unavailable(str(error)) from None
        self.runtime, self.version, self.threads = onnxruntime, onnxruntime.__version__, threads

    def make(self, _, module, inputs, directory):
        path = export_onnx(module, inputs, directory)
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = self.threads
        # Its threads spin during a run, but not on into the next rival's.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        session = self.runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        # Inputs and outputs stay where they are: no copy is part of a call.
        binding = session.io_binding()
        for spec, value in zip(session.get_inputs(), inputs):
            array = value.contiguous().numpy()
            binding.bind_cpu_input(spec.name, array)
        with torch.inference_mode():
            self.output = torch.empty_like(module(*inputs), memory_format=torch.contiguous_format)
        spec = session.get_outputs()[0]
        binding.bind_output(spec.name, "cpu", 0, self.output.numpy().dtype, list(self.output.shape),
                            self.output.data_ptr())

        def call():
            session.run_with_iobinding(binding)
            return self.output
        return call

    def to_torch(self, output):
        return output


class OpenVINO:
    """Reads the row from ONNX; computes in f32, as the row asks, also where the
    CPU has bf16 instructions."""

    name = "openvino"

    def __init__(self, threads):
        try:
            import onnxscript  # noqa: F401, what torch.onnx exports with
            import openvino
        except ImportError as error:
            raise Unavailable(str(error)) from None
        self.openvino, self.version = openvino, openvino.__version__
        self.settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                         "INFERENCE_PRECISION_HINT": "f32"}

    def make(self, _, module, inputs, directory):
        model = self.openvino.convert_model(export_onnx(module, inputs, directory))
        request = self.openvino.compile_model(model, "CPU", self.settings).create_infer_request()
        # Inputs and outputs stay where they are: no copy is part of a call.
        for index, value in enumerate(inputs):
            request.set_input_tensor(index, self.openvino.Tensor(value.contiguous().numpy(), shared_memory=True))
        with torch.inference_mode():
            self.output = torch.empty_like(module(*inputs), memory_format=torch.contiguous_format)
        request.set_output_tensor(0, self.openvino.Tensor(self.output.numpy(), shared_memory=True))

        def call():
            request.infer()
            return self.output
        return call

    def to_torch(self, output):
        return output


class IREE:
    """Compiles the StableHLO of a row's JAX version for this CPU."""

    name = "iree"

    def __init__(self, threads):
        try:
            import iree.compiler
            import iree.runtime
            import jax
        except ImportError as error:
            raise Unavailable(str(error)) from None
        # Read when the first device is made.
        iree.runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.jax, self.compiler, self.runtime = jax, iree.compiler, iree.runtime
        self.version = importlib.metadata.version("iree-base-compiler")

    def make(self, name, module, inputs, _):
        import jax_models
        if name not in jax_models.FUNCTIONS:
            raise Unavailable("no JAX version of this row")
        parameters = jax_models.parameters(module)
        arrays = [jax_models.to_jax(value) for value in inputs]
        leaves, tree = self.jax.tree_util.tree_flatten(parameters)

        def row(leaves, *arrays):
            return jax_models.FUNCTIONS[name](self.jax.tree_util.tree_unflatten(tree, leaves), *arrays)

        # IREE does not know the dialect of JAX's newer partitioner.
        self.jax.config.update("jax_use_shardy_partitioner", False)
        lowered = self.jax.jit(row, keep_unused=True).lower(leaves, *arrays)
        binary = self.compiler.compile_str(
            str(lowered.compiler_ir("stablehlo")), input_type="stablehlo", target_backends=["llvm-cpu"],
            extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"])
        config = self.runtime.Config("local-task")
        compiled = self.runtime.load_vm_flatbuffer(binary, driver="local-task")
        operands = [self.runtime.asdevicearray(config.device, value) for value in (*leaves, *arrays)]
        return lambda: compiled.main(*operands)

    def to_torch(self, output):
        array = output.to_host()
        if array.dtype.name == "bfloat16":  # ml_dtypes' own type, which torch does not read
            return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
        return torch.from_numpy(array)


ALL = {rival.name: rival for rival in (TC, Eager, Compile, JAX, ONNXRuntime, OpenVINO, IREE)}
