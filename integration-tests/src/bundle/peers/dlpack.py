"""Tensors in capsules, as Python's protocol of DLPack passes them."""

import ctypes

Address = ctypes.c_void_p
Name = ctypes.c_char_p
Numbers = ctypes.POINTER(ctypes.c_int64)

CUDA, FLOAT = 2, 2
NO_STREAM, LEGACY_DEFAULT = -1, 1

# The names must outlive the capsules.
LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"
USED = {LEGACY: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", Address),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", Numbers),
        ("strides", Numbers),
        ("byte_offset", ctypes.c_uint64),
    ]


class LegacyTensor(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", Address), ("deleter", Address)]


class VersionedTensor(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", Address),
        ("deleter", Address),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


FORMS = {LEGACY: LegacyTensor, VERSIONED: VersionedTensor}
Deleter = ctypes.CFUNCTYPE(None, Address)
# Python holds its lock when it calls this.
Destructor = ctypes.PYFUNCTYPE(None, Address)


def _python(name, result, *arguments):
    # By addresses, since a capsule whose destructor runs must not be referenced again.
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", ctypes.py_object, Address, Name, Destructor)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, Address, Name)
_pointer = _python("PyCapsule_GetPointer", Address, Address, Name)
_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, Name)


def delete(address, name):
    """Calls the deleter of a tensor, unless it has none."""
    deleter = FORMS[name].from_address(address).deleter
    if deleter:
        Deleter(deleter)(address)


@Destructor
def _destroy(capsule):
    for name in FORMS:
        if _is_valid(capsule, name):
            delete(_pointer(capsule, name), name)


def capsule(address, name):
    """A capsule with a tensor, which it deletes in the end unless a consumer takes it."""
    return _new(address, name, _destroy)


def content(given):
    """The address of the tensor in a capsule, and its name."""
    for name in FORMS:
        if _is_valid(id(given), name):
            return _pointer(id(given), name), name
    raise ValueError(f"{given!r} holds no tensor, or one that is taken")


def take(given, name):
    """Leaves the capsule without its tensor, for the consumer who has it now."""
    _rename(given, USED[name])


class Exported:
    """Something that other libraries import by the protocol.

    export(stream, major, minor) makes a tensor and returns its address. With a stream of its own,
    this does not listen to the stream that the consumer names; a legacy one not to the version.
    """

    def __init__(self, export, ordinal=0, stream=None, legacy=False):
        self._export, self._ordinal = export, ordinal
        self._stream, self._legacy = stream, legacy

    def __dlpack_device__(self):
        return (CUDA, self._ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("this tensor is not copied")
        if self._stream is not None:
            stream = self._stream
        elif stream is None:
            stream = LEGACY_DEFAULT
        major, minor = (0, 0) if self._legacy else max_version or (0, 0)
        return capsule(self._export(stream, major, minor), VERSIONED if major >= 1 else LEGACY)
