"""The structures of Arrow's C device interface, made and read here by hand.

Neither PyTorch nor CuPy knows them, and Arrow's own library in Python comes without CUDA.
"""

import ctypes

import dlpack

Address = ctypes.c_void_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("child_count", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", Address),
    ("private", Address),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("buffer_count", ctypes.c_int64),
    ("child_count", ctypes.c_int64),
    ("buffers", ctypes.POINTER(Address)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", Address),
    ("private", Address),
]


class DeviceArray(ctypes.Structure):
    _fields_ = [
        ("array", Array),
        ("device", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.POINTER(Address)),
        ("reserved", ctypes.c_int64 * 3),
    ]


# What structures consist of, until they are released.
_kept = {}
_mistakes = []
# Tensors without a deleter, which would say when they end.
_lasting = []


def _end(structure):
    """Releases a structure and its children, as the specification has it."""
    for i in range(structure.contents.child_count):
        child = structure.contents.children[i]
        if child.contents.release:
            child.contents.release = None
    structure.contents.release = None
    if _kept.pop(structure.contents.private, None) is None:
        _mistakes.append("released twice")


_end_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))(_end)
_end_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))(_end)


def _owned(structure, release, *parts):
    """Makes a structure the owner of what it consists of, until it is released."""
    key = ctypes.addressof(structure)
    _kept[key] = (structure, *parts)
    structure.release = ctypes.cast(release, Address)
    structure.private = key


def lent():
    """How many structures were made here, and were not released once."""
    return len(_kept) + len(_mistakes)


def floats(data, length, event, *owners):
    """A table of one column x, in memory of a library, with its schema.

    The event is recorded after the library's work, or None to say that there is none to wait for.
    """
    child = Schema(b"f", b"x", None, 0, 0, None, None, ctypes.cast(_end_schema, Address), None)
    children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(child))
    schema = Schema(b"+s", b"", None, 0, 1, children, None, None, None)
    _owned(schema, _end_schema, child, children)

    buffers = (Address * 2)(None, data)
    column = Array(length, 0, 0, 2, 0, buffers, None, None, ctypes.cast(_end_array, Address), None)
    columns = (ctypes.POINTER(Array) * 1)(ctypes.pointer(column))
    none = (Address * 1)(None)
    array = DeviceArray(Array(length, 0, 0, 1, 1, none, columns, None, None, None), 0, dlpack.CUDA)
    if event is not None:
        array.sync_event = (Address * 1)(event)
    _owned(array.array, _end_array, array, buffers, column, columns, none, owners)
    return array, schema


class Imported:
    """A table of one column that the runtime exported; a library imports that as a tensor."""

    def __init__(self, tables, stream, table):
        self._tables = tables
        self._array, schema = DeviceArray(), Schema()
        tables.export(stream, table, ctypes.addressof(self._array), ctypes.addressof(schema))
        self.format = schema.children[0].contents.format
        tables.releaseSchema(ctypes.addressof(schema))
        column = self._array.array.children[0].contents
        self.length, self.data = column.length, column.buffers[1]

    def event(self):
        """The event to wait for, or None."""
        return self._array.sync_event[0] if self._array.sync_event else None

    def tensor(self, stream, major, minor):
        """A tensor of the same memory, which does not own it."""
        shape = (ctypes.c_int64 * 1)(self.length)
        form = dlpack.FORMS[dlpack.VERSIONED if major >= 1 else dlpack.LEGACY]()
        if major >= 1:
            form.major = 1
        form.tensor = dlpack.Tensor(
            self.data, dlpack.CUDA, 0, 1, dlpack.FLOAT, 32, 1, shape, None, 0
        )
        _lasting.append((form, shape))
        return ctypes.addressof(form)

    def release(self):
        self._tables.releaseArray(ctypes.addressof(self._array))
