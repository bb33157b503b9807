"""PyTorch and CuPy, behind the same methods as the libraries on the simulated device."""

import contextlib

# Some milliseconds, in which a stream that does not wait has long gone past.
LATE_CYCLES = 10_000_000


class Torch:
    name = "torch"

    def __init__(self):
        import torch

        self._torch = torch
        self.version = torch.__version__
        torch.cuda.init()

    def held(self):
        return self._torch.cuda.memory_allocated()

    def stream(self):
        return self._torch.cuda.Stream()

    def handle(self, stream):
        return stream.cuda_stream

    def on(self, stream):
        return self._torch.cuda.stream(stream)

    def event(self, stream):
        event = self._torch.cuda.Event()
        event.record(stream)
        return event

    def destroy(self, event):
        del event

    def event_handle(self, event):
        return event.cuda_event

    def data(self, tensor):
        return tensor.data_ptr()

    def empty(self, length, stream):
        with self.on(stream):
            return self._torch.empty(length, dtype=self._torch.float32, device="cuda")

    def write_late(self, tensor, value, stream):
        with self.on(stream):
            self._torch.cuda._sleep(LATE_CYCLES)
            tensor.fill_(float(value))

    def write(self, tensor, value, stream):
        with self.on(stream):
            tensor.fill_(float(value))

    def times(self, tensor, factor, stream):
        with self.on(stream):
            return tensor * float(factor)

    def wrong(self, tensor, value, stream):
        with self.on(stream):
            return int((tensor != float(value)).sum().item())

    def from_dlpack(self, source, stream):
        with self.on(stream):
            return self._torch.from_dlpack(source)

    def unfit(self):
        """Tensors that are no arrays of floats on this device."""
        zeros = self._torch.zeros
        return {
            "of the host": zeros(8),
            "with gaps": zeros(8, device="cuda")[::2],
            "of doubles": zeros(8, dtype=self._torch.float64, device="cuda"),
            "transposed": zeros((4, 2), device="cuda").t(),
        }


class Cupy:
    name = "CuPy"

    SPIN = r"""
    extern "C" __global__ void spin(long long cycles) {
      long long start = clock64();
      while (clock64() - start < cycles) {
      }
    }"""

    def __init__(self):
        import cupy
        import numpy

        self._cupy = cupy
        self.version = cupy.__version__
        self._late = numpy.int64(LATE_CYCLES)
        self._spin = cupy.RawKernel(self.SPIN, "spin")

    def held(self):
        return self._cupy.get_default_memory_pool().used_bytes()

    def stream(self):
        return self._cupy.cuda.Stream(non_blocking=True)

    def handle(self, stream):
        return stream.ptr

    @contextlib.contextmanager
    def on(self, stream):
        with stream:
            yield

    def event(self, stream):
        return stream.record()

    def destroy(self, event):
        del event

    def event_handle(self, event):
        return event.ptr

    def wait_for(self, stream, handle):
        self._cupy.cuda.runtime.streamWaitEvent(stream.ptr, handle, 0)

    def data(self, tensor):
        return tensor.data.ptr

    def empty(self, length, stream):
        with stream:
            return self._cupy.empty(length, dtype=self._cupy.float32)

    def write_late(self, tensor, value, stream):
        with stream:
            self._spin((1,), (1,), (self._late,))
            tensor.fill(value)

    def write(self, tensor, value, stream):
        with stream:
            tensor.fill(value)

    def times(self, tensor, factor, stream):
        with stream:
            return tensor * self._cupy.float32(factor)

    def wrong(self, tensor, value, stream):
        with stream:
            return int((tensor != self._cupy.float32(value)).sum())

    def from_dlpack(self, source, stream):
        with stream:
            return self._cupy.from_dlpack(source)

    def unfit(self):
        """Tensors that are no arrays of floats on this device."""
        zeros, single = self._cupy.zeros, self._cupy.float32
        return {
            "with gaps": zeros(8, dtype=single)[::2],
            "of doubles": zeros(8, dtype=self._cupy.float64),
            "transposed": zeros((4, 2), dtype=single).T,
        }
