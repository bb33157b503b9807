"""Libraries on the simulated device, in the place of PyTorch and CuPy."""

import contextlib
import ctypes
import threading

import dlpack


class Library:
    """A library whose kernels are Java functions."""

    def __init__(self, java, device, index):
        self.name = f"peer {index}"
        self._java = java
        self._library = java.library(device, index)
        self._now = threading.local()
        self._living = {}
        self._deleted_forms = []
        self._twice = 0
        self._allocated = 0
        self._lock = threading.Lock()

    def held(self):
        """What is lent or allocated, and has to be given back, once."""
        return len(self._living) + self._allocated + self._twice

    def stream(self):
        return self._java.createStream(self._library)

    def handle(self, stream):
        return stream

    @contextlib.contextmanager
    def on(self, stream):
        before = getattr(self._now, "stream", None)
        self._now.stream = stream
        try:
            yield
        finally:
            self._now.stream = before

    def wait(self, waiting, awaited):
        event = self.event(awaited)
        self._java.waitForEvent(self._library, waiting, event)
        self.destroy(event)

    def event(self, stream):
        event = self._java.createEvent(self._library)
        self._java.recordEvent(self._library, event, stream)
        return event

    def destroy(self, event):
        self._java.destroyEvent(self._library, event)

    def event_handle(self, event):
        return event

    def wait_for(self, stream, handle):
        self._java.waitForEvent(self._library, stream, handle)

    def data(self, tensor):
        return tensor.data

    def empty(self, length, stream):
        with self._lock:
            self._allocated += 1
        return Tensor(self, self._java.allocate(self._library, length), length, stream)

    def free(self, tensor):
        self._java.free(self._library, tensor.data, tensor.stream)
        with self._lock:
            self._allocated -= 1

    def write_late(self, tensor, value, stream):
        self._java.fill(self._library, stream, tensor.data, tensor.length, value)

    def write(self, tensor, value, stream):
        self.write_late(tensor, value, stream)

    def unfit(self):
        """Tensors that are no arrays of floats on this device."""
        memory = self.empty(16, self.stream())
        forms = {"with gaps": ([8], [2], 32), "of doubles": ([8], [1], 64),
                 "transposed": ([2, 4], [1, 2], 32)}
        return {what: Odd(memory, *form) for what, form in forms.items()}

    def times(self, tensor, factor, stream):
        product = self.empty(tensor.length, stream)
        self._java.scale(
            self._library, stream, tensor.data, product.data, tensor.length, factor
        )
        return product

    def wrong(self, tensor, value, stream):
        return self._java.wrong(self._library, stream, tensor.data, tensor.length, value)

    def from_dlpack(self, source, stream):
        given = source.__dlpack__(stream=stream, max_version=(1, 0))
        address, name = dlpack.content(given)
        dlpack.take(given, name)
        return Imported(self, address, name)

    def export(self, tensor, stream, major, minor):
        """Makes the stream wait for the current one, and lends the tensor."""
        if stream != dlpack.NO_STREAM and stream != self._now.stream:
            self.wait(stream, self._now.stream)
        return self.lend(tensor, major, [tensor.length], [1], 32)

    def lend(self, tensor, major, lengths, steps, bits):
        """Makes a tensor of DLPack, whose deleter ends the reference to the memory."""
        rank = len(lengths)
        shape = (ctypes.c_int64 * (2 * rank))(*lengths, *steps)
        strides = ctypes.cast(ctypes.addressof(shape) + 8 * rank, dlpack.Numbers)
        form = dlpack.VersionedTensor() if major >= 1 else dlpack.LegacyTensor()
        if major >= 1:
            form.major, form.minor = 1, 0
        form.tensor = dlpack.Tensor(
            tensor.data, dlpack.CUDA, 0, rank, dlpack.FLOAT, bits, 1, shape, strides, 0
        )
        address = ctypes.addressof(form)
        deleter = dlpack.Deleter(self._deleted)
        form.deleter = ctypes.cast(deleter, ctypes.c_void_p)
        self._living[address] = (tensor, form, shape, deleter)
        return address

    def _deleted(self, address):
        if address not in self._living:
            self._twice += 1
            return
        tensor, *rest = self._living.pop(address)
        # The callback must outlive its own call.
        self._deleted_forms.append(rest)


class Tensor:
    """Memory of a library, freed in the order of the stream that it was allocated on."""

    def __init__(self, library, data, length, stream):
        self.library, self.data, self.length, self.stream = library, data, length, stream

    def __dlpack_device__(self):
        return (dlpack.CUDA, 0)

    def __dlpack__(self, *, stream=dlpack.LEGACY_DEFAULT, max_version=None):
        export = lambda *who: self.library.export(self, *who)
        return dlpack.Exported(export).__dlpack__(stream=stream, max_version=max_version)

    def __del__(self):
        self.library.free(self)


class Odd:
    """A tensor of another form than that of its memory."""

    def __init__(self, memory, *form):
        self._memory, self._form = memory, form

    def __dlpack__(self, *, max_version):
        lent = self._memory.library.lend(self._memory, max_version[0], *self._form)
        return dlpack.capsule(lent, dlpack.VERSIONED)


class Imported:
    """Memory of another library, deleted with this."""

    def __init__(self, library, address, name):
        self.library, self._address, self._name = library, address, name
        tensor = dlpack.FORMS[name].from_address(address).tensor
        self.data, self.length = tensor.data + tensor.byte_offset, tensor.shape[0]

    def __del__(self):
        dlpack.delete(self._address, self._name)
