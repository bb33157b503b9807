"""The rows of `run compare` in CuPy or PyTorch.

Takes its medians like Batches.java, and answers as Opponent.java describes.
usage: compare.py {CuPy|PyTorch} FILE_OF_COMPARE_PTX
"""

import os
import sys
import time

OPERATIONS = 200
EVENTS = 64
ELEMENTS = 256
MEBIBYTE = 1 << 20
SIZES = {"pageable": (1, 16, 1024), "pinned": (1, 1024)}


def median(warm_up, times, operation, between):
    nanos = []
    for i in range(-warm_up, times):
        begun = time.perf_counter_ns()
        operation()
        ended = time.perf_counter_ns()
        between()
        if i >= 0:
            nanos.append(ended - begun)
    return sorted(nanos)[times // 2]


def nanos_each(batch, between):
    """Host time of one operation of a batch."""
    return median(20, 100, batch, between) / OPERATIONS


class Library:
    """What both libraries measure; a subclass says how."""

    def rows(self):
        rows = {
            "launch-one-stream": lambda: nanos_each(self.one_stream, self.synchronize),
            "launch-two-streams": lambda: nanos_each(self.with_events, self.synchronize),
            "launch-ping-pong": lambda: nanos_each(self.ping_pong, self.synchronize),
        }
        for name, mebibytes in (("1-MiB", 1), ("1-GiB", 1024)):
            rows[f"allocate-{name}"] = lambda m=mebibytes: self.allocate(m, False)
            rows[f"allocate-{name}-synchronized"] = lambda m=mebibytes: self.allocate(m, True)
        for kind, sizes in SIZES.items():
            for mebibytes in sizes:
                for way in ("up", "down"):
                    rows[f"{kind}-{way}-{mebibytes}-MiB"] = (
                        lambda k=kind, w=way, m=mebibytes: self.transfer(k, w, m)
                    )
        return rows

    def allocate(self, mebibytes, synchronizes):
        memory, synchronize = self.memory, self.synchronize_first
        count = mebibytes * MEBIBYTE

        def batch():
            for _ in range(OPERATIONS):
                memory(count)  # freed at once: nothing refers to it
                if synchronizes:
                    synchronize()

        return nanos_each(batch, self.synchronize)

    def transfer(self, kind, way, mebibytes):
        copy = self.copy(kind, way, mebibytes * MEBIBYTE)

        def one():
            copy()
            self.synchronize_first()

        return median(1, max(3, min(100, 512 // mebibytes)), one, lambda: None)


class CuPy(Library):
    def __init__(self, kernels):
        import cupy
        import numpy

        self.cupy, self.numpy, self.kernels = cupy, numpy, kernels
        self.about = f"{cupy.__version__}, on Python {sys.version.split()[0]}"
        if cupy.cuda.runtime.getDeviceCount() == 0:
            raise RuntimeError("there is no GPU here")

    def open(self):
        cupy, numpy = self.cupy, self.numpy
        self.kernel = cupy.RawModule(path=self.kernels).get_function("touch4")
        arrays = [cupy.zeros(ELEMENTS, dtype=numpy.float32) for _ in range(4)]
        self.arguments = (*arrays, numpy.float32(2), numpy.int32(ELEMENTS))
        self.streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
        self.events = [cupy.cuda.Event(disable_timing=True) for _ in range(EVENTS)]
        self.buffers = {}
        self.streams[0].use()

    def synchronize(self):
        self.cupy.cuda.runtime.deviceSynchronize()

    def synchronize_first(self):
        self.streams[0].synchronize()

    def one_stream(self):
        for _ in range(OPERATIONS):
            self.kernel((1,), (ELEMENTS,), self.arguments)

    def with_events(self):
        for i in range(OPERATIONS):
            self.kernel((1,), (ELEMENTS,), self.arguments)
            self.events[i % EVENTS].record(self.streams[0])

    def ping_pong(self):
        for i in range(OPERATIONS):
            stream = self.streams[i % 2]
            with stream:
                stream.wait_event(self.events[(i - 1) % EVENTS])
                self.kernel((1,), (ELEMENTS,), self.arguments)
                self.events[i % EVENTS].record(stream)

    def memory(self, count):
        return self.cupy.cuda.alloc(count)

    def copy(self, kind, way, count):
        if (kind, count) not in self.buffers:
            import cupyx

            host = cupyx.empty_pinned if kind == "pinned" else self.numpy.empty
            made = (self.cupy.zeros(count, dtype="u1"), host(count, dtype="u1"))
            made[1].fill(1)
            self.buffers[kind, count] = made
        device, host = self.buffers[kind, count]
        if way == "up":
            return lambda: device.set(host, stream=self.streams[0])
        return lambda: device.get(out=host, stream=self.streams[0])


class PyTorch(Library):
    """Launches are one operation in place."""

    def __init__(self, kernels):
        import torch

        self.torch = torch
        self.about = f"{torch.__version__}, on Python {sys.version.split()[0]}; one operation in place"
        if not torch.cuda.is_available():
            raise RuntimeError("there is no GPU here")

    def open(self):
        torch = self.torch
        self.tensor = torch.zeros(ELEMENTS, device="cuda")
        self.streams = [torch.cuda.Stream() for _ in range(2)]
        self.events = [torch.cuda.Event() for _ in range(EVENTS)]
        self.buffers = {}
        torch.cuda.set_stream(self.streams[0])

    def synchronize(self):
        self.torch.cuda.synchronize()

    def synchronize_first(self):
        self.streams[0].synchronize()

    def one_stream(self):
        for _ in range(OPERATIONS):
            self.tensor.add_(1.0)

    def with_events(self):
        for i in range(OPERATIONS):
            self.tensor.add_(1.0)
            self.events[i % EVENTS].record(self.streams[0])

    def ping_pong(self):
        for i in range(OPERATIONS):
            stream = self.streams[i % 2]
            with self.torch.cuda.stream(stream):
                stream.wait_event(self.events[(i - 1) % EVENTS])
                self.tensor.add_(1.0)
                self.events[i % EVENTS].record(stream)

    def memory(self, count):
        return self.torch.empty(count, dtype=self.torch.uint8, device="cuda")

    def copy(self, kind, way, count):
        if (kind, count) not in self.buffers:
            ones, byte = self.torch.ones, self.torch.uint8
            host = ones(count, dtype=byte, pin_memory=kind == "pinned")
            self.buffers[kind, count] = (ones(count, dtype=byte, device="cuda"), host)
        device, host = self.buffers[kind, count]
        if way == "up":
            return lambda: device.copy_(host, non_blocking=True)
        return lambda: host.copy_(device, non_blocking=True)


def reason(failure):
    """One line that says what and where."""
    import traceback

    frames = traceback.extract_tb(failure.__traceback__)[-3:]
    where = " < ".join(f"{f.name}:{f.lineno}" for f in reversed(frames))
    return f"{type(failure).__name__}: {failure} ({where})".replace("\n", " | ")


def main():
    kind = {"CuPy": CuPy, "PyTorch": PyTorch}[sys.argv[1]]
    for row in kind.rows(kind.__new__(kind)):
        print("row", row)
    try:
        library = kind(sys.argv[2])
        print("about", library.about)
        print("ready", flush=True)
    except Exception as e:
        print("cannot:", reason(e), flush=True)
        return
    is_open = False
    for request in sys.stdin:
        try:
            if not is_open:
                library.open()
                is_open = True
            value = library.rows()[request.split(maxsplit=1)[1].strip()]()
            print("value", value, flush=True)
        except Exception as e:
            print("cannot:", reason(e), flush=True)
    # Without taking the libraries down, which can take seconds.
    os._exit(0)


if __name__ == "__main__":
    main()
