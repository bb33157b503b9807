"""A Java virtual machine in this process. Its static methods take and return whole numbers."""

import ctypes
import threading

VERSION = 0x000A0000

# Slots of the tables of functions that the Java Native Interface specifies.
ATTACH_AS_DAEMON = 7
FIND_CLASS, EXCEPTION_OCCURRED, EXCEPTION_CLEAR, EXCEPTION_CHECK = 6, 15, 17, 228
NEW_GLOBAL_REF, DELETE_LOCAL_REF = 21, 23
GET_METHOD, CALL_OBJECT, GET_STATIC_METHOD, CALL_STATIC_LONG = 33, 36, 113, 134
GET_STRING, RELEASE_STRING = 169, 170

Address = ctypes.c_void_p
Name = ctypes.c_char_p


class Option(ctypes.Structure):
    _fields_ = [("text", Name), ("extra", Address)]


class Arguments(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("count", ctypes.c_int),
        ("options", ctypes.POINTER(Option)),
        ("ignores_unknown", ctypes.c_ubyte),
    ]


class JavaError(Exception):
    """What a Java method threw."""


def _function(interface, slot, result, *arguments):
    """A function of an interface, which is a pointer to a pointer to a table of functions."""
    table = ctypes.cast(interface, ctypes.POINTER(ctypes.POINTER(Address)))[0]
    # Releases Python's lock during the call, so that Java's threads can take it.
    return ctypes.CFUNCTYPE(result, Address, *arguments)(table[slot])


class Jvm:
    """The only virtual machine of the process. Any thread may call; each is attached once."""

    def __init__(self, library, class_path, *options):
        create = ctypes.CDLL(library).JNI_CreateJavaVM
        # -Xrs leaves signals, such as Ctrl-C, to Python.
        texts = [o.encode() for o in ("-Xrs", "-Djava.class.path=" + class_path, *options)]
        given = (Option * len(texts))(*(Option(text, None) for text in texts))
        arguments = Arguments(VERSION, len(texts), given, 0)
        self._vm = Address()
        self._attached = threading.local()
        self._attached.env = Address()
        status = create(
            ctypes.byref(self._vm), ctypes.byref(self._attached.env), ctypes.byref(arguments)
        )
        if status != 0:
            raise JavaError(f"JNI_CreateJavaVM returned {status}")

    def _call(self, slot, result, types, *arguments):
        if not hasattr(self._attached, "env"):
            env = Address()
            attach = _function(self._vm, ATTACH_AS_DAEMON, ctypes.c_int, Address, Address)
            status = attach(self._vm, ctypes.addressof(env), None)
            if status != 0:
                raise JavaError(f"AttachCurrentThreadAsDaemon returned {status}")
            self._attached.env = env
        env = self._attached.env
        return _function(env, slot, result, *types)(env, *arguments)

    def find(self, name):
        """The class of that name, such as dev/streamfence/it/Peers."""
        local = self._call(FIND_CLASS, Address, (Name,), name.encode())
        self._check()
        return JavaClass(self, self._call(NEW_GLOBAL_REF, Address, (Address,), local))

    def _check(self):
        if self._call(EXCEPTION_CHECK, ctypes.c_ubyte, ()):
            failure = self._call(EXCEPTION_OCCURRED, Address, ())
            self._call(EXCEPTION_CLEAR, None, ())
            raise JavaError(self._text(failure))

    def _text(self, failure):
        """What toString() says."""
        kind = self._call(FIND_CLASS, Address, (Name,), b"java/lang/Object")
        to_string = self._call(
            GET_METHOD, Address, (Address, Name, Name),
            kind, b"toString", b"()Ljava/lang/String;",
        )
        text = self._call(
            CALL_OBJECT, Address, (Address, Address, Address), failure, to_string, None
        )
        characters = self._call(GET_STRING, Address, (Address, Address), text, None)
        result = ctypes.string_at(characters).decode(errors="replace")
        self._call(RELEASE_STRING, None, (Address, Address), text, characters)
        for reference in (kind, text, failure):
            self._call(DELETE_LOCAL_REF, None, (Address,), reference)
        return result


class JavaClass:
    """A class, whose static methods of long, returning long, are methods of this object."""

    def __init__(self, jvm, reference):
        self._jvm = jvm
        self._class = reference
        self._methods = {}

    def __getattr__(self, name):
        def call(*numbers):
            found = self._methods.get((name, len(numbers)))
            if found is None:
                found = self._method(name, "(" + "J" * len(numbers) + ")J")
                self._methods[(name, len(numbers))] = found
            values = (ctypes.c_int64 * max(1, len(numbers)))(*numbers)
            result = self._jvm._call(
                CALL_STATIC_LONG, ctypes.c_int64, (Address, Address, Address),
                self._class, found, ctypes.addressof(values),
            )
            self._jvm._check()
            return result

        return call

    def _method(self, name, signature):
        found = self._jvm._call(
            GET_STATIC_METHOD, Address, (Address, Name, Name),
            self._class, name.encode(), signature.encode(),
        )
        self._jvm._check()
        return found
