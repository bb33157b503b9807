"""What has to hold between the runtime and two libraries. Each check returns the wrong rounds."""

import ctypes
import threading

import arrow
import dlpack


class Skipped(Exception):
    """A check that cannot run here."""


# How the runtime learns that a library is done, as Peers.adopt numbers it.
DONE, STREAM, EVENT = 0, 1, 2


class Chain:
    """One library writes, a kernel doubles, the other library trebles, the first one reads.

    Each does so on a stream of its own, and the runtime adopts on one more. inbound is how the
    kernel waits for the writer, outbound how the other library waits for the kernel.
    """

    def __init__(self, session, first, second, inbound="handshake", outbound="handshake"):
        self._session, self._java = session, session.java
        self._first, self._second = first, second
        self._inbound, self._outbound = inbound, outbound
        self._writing, self._reading = first.stream(), first.stream()
        self._trebling = second.stream()
        self._adopting, self._launching = session.stream(), session.stream()
        self._doubled = session.array(self._launching)
        self._kept = first.empty(session.length, self._writing)

    def _adopt(self, source):
        handshake = self._session.handle(self._adopting)
        legacy = self._inbound == "legacy"
        stream = handshake if self._inbound in ("handshake", "legacy") else dlpack.NO_STREAM
        with self._first.on(self._writing):
            given = source.__dlpack__(stream=stream, max_version=None if legacy else (1, 1))
            if self._inbound == "stream":
                return self._session.adopt(
                    self._adopting, given, STREAM, self._first.handle(self._writing)
                )
            if self._inbound == "event":
                event = self._first.event(self._writing)
                handle = self._first.event_handle(event)
                array = self._session.adopt(self._adopting, given, EVENT, handle)
                self._first.destroy(event)
                return array
            return self._session.adopt(self._adopting, given, DONE, 0)

    def round(self, value, keeps=True):
        """Queues a round whose result is six times the value, and returns the result."""
        # Memory that is written again in every round has old values, where a wait is missing.
        source = self._kept
        if not keeps:
            source = self._first.empty(self._session.length, self._writing)
        self._first.write_late(source, value, self._writing)
        array = self._adopt(source)
        self._java.scale(self._launching, array, self._doubled, 2, 0)
        self._java.close(array)
        exported = self._session.exported(self._doubled, self._outbound)
        doubled = self._second.from_dlpack(exported, self._trebling)
        trebled = self._second.times(doubled, 3, self._trebling)
        with self._second.on(self._trebling):
            return self._first.from_dlpack(trebled, self._reading)

    def settle(self, value):
        """Waits for what a round has written."""
        self._first.wrong(self._kept, value, self._writing)
        self._java.synchronize(self._launching)

    def is_wrong(self, result, value):
        return self._first.wrong(result, 6 * value, self._reading) > 0


def one_by_one(session, first, second, rounds, **ways):
    chain = Chain(session, first, second, **ways)
    wrong = 0
    # The first round loads kernels, for which libraries may wait for the device.
    for value in range(1, rounds + 2):
        is_wrong = chain.is_wrong(chain.round(value), value)
        chain.settle(value)
        wrong += is_wrong and value > 1
    return wrong


def in_flight(session, first, second, rounds, keeps=True, **ways):
    """Like one_by_one, but all rounds are queued before the first result is read."""
    chain = Chain(session, first, second, **ways)
    results = [chain.round(value, keeps) for value in range(1, rounds + 1)]
    return sum(chain.is_wrong(results[i], i + 1) for i in range(rounds))


def in_threads(session, first, second, rounds):
    """Both directions at the same time, with the deleters of all in all threads."""
    wrong = []

    def run(*libraries):
        wrong.append(in_flight(session, *libraries, rounds, keeps=False))

    pairs = [(first, second), (second, first)] * 2
    threads = [threading.Thread(target=run, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(wrong) + len(threads) - len(wrong)


def written_by_the_other(session, library, rounds, outbound="handshake"):
    """A library writes an array of the runtime, and the next kernel reads it."""
    writing, launching = library.stream(), session.stream()
    array, doubled = session.array(launching), session.array(launching)
    wrong = 0
    for value in range(1, rounds + 2):
        tensor = library.from_dlpack(session.exported(array, outbound), writing)
        library.write_late(tensor, value, writing)
        del tensor
        session.java.scale(launching, array, doubled, 2, 0)
        is_wrong = session.java.wrong(launching, doubled, 2 * value) > 0
        library.wrong(library.from_dlpack(session.exported(array), writing), value, writing)
        wrong += is_wrong and value > 1
    return wrong


def dropped_by_the_owner(session, library, rounds, keeps_alive=True):
    """A library drops a tensor that a long kernel still reads, and uses memory again."""
    writing, launching = library.stream(), session.stream()
    doubled = session.array(launching)
    wrong = 0
    for value in range(1, rounds + 2):
        tensor = library.empty(session.length, writing)
        library.write(tensor, value, writing)
        with library.on(writing):
            given = tensor.__dlpack__(
                stream=session.handle(launching), max_version=(1, 1)
            )
        if keeps_alive:
            array = session.adopt(launching, given, DONE, 0)
        else:
            array = session.adopt_raw(launching, given)
        del tensor, given
        session.java.scale(launching, array, doubled, 2, session.late_cycles)
        session.java.close(array)
        reused = library.empty(session.length, writing)
        library.write(reused, -1, writing)
        wrong += session.java.wrong(launching, doubled, 2 * value) > 0 and value > 1
    return wrong


def on_an_adopted_stream(session, library, rounds):
    """Kernels and a library take turns on the library's stream, which orders both."""
    writing, reading = library.stream(), session.stream()
    with session.adopted_stream(library.handle(writing)) as adopted:
        doubled = session.array(adopted)
        tensor = library.empty(session.length, writing)
        wrong = 0
        for value in range(1, rounds + 1):
            library.write_late(tensor, value, writing)
            with library.on(writing):
                given = tensor.__dlpack__(stream=dlpack.NO_STREAM, max_version=(1, 1))
            array = session.adopt(adopted, given, DONE, 0)
            session.java.scale(adopted, array, doubled, 2, 0)
            session.java.close(array)
            library.write(tensor, -1, writing)
            wrong += session.java.wrong(reading, doubled, 2 * value) > 0
    return wrong


def refusals(session, library, host_tensor):
    """What is refused stays its owner's. Counts what was not refused, or not in these words."""
    stream = session.stream()
    wrong = 0

    def refused(words, action):
        nonlocal wrong
        try:
            action()
        except session.java_error as e:
            if words in str(e):
                print(f"  refused: {e}")
                return
            print(f"  refused with other words than '{words}': {e}")
        else:
            print(f"  not refused: '{words}'")
        wrong += 1

    array = session.array(stream)
    refused("stream 0", lambda: session.exported(array).__dlpack__(stream=0))
    tensors = dict(library.unfit())
    if host_tensor is not None:
        tensors["of the host, by numpy"] = host_tensor
    for tensor in tensors.values():
        given = tensor.__dlpack__(max_version=(1, 1))
        refused("tensor", lambda: session.adopt(stream, given, DONE, 0))
        dlpack.content(given)
    writing = library.stream()
    tensor = library.empty(session.length, writing)
    library.write(tensor, 7, writing)
    with library.on(writing):
        given = tensor.__dlpack__(stream=session.handle(stream), max_version=(1, 1))
    address, name = dlpack.content(given)
    taken = session.adopt(stream, given, DONE, 0)
    refused("already", lambda: session.adopt_address(stream, address, name))
    wrong += session.java.wrong(stream, taken, 7) > 0
    session.java.close(taken)
    return wrong


def arrow_table_in(session, library, rounds, has_event=True):
    """A library writes a column of Arrow's, and a kernel reads it after the column's event."""
    writing = library.stream()
    adopting, launching = session.stream(), session.stream()
    doubled = session.array(launching)
    column = library.empty(session.length, writing)
    data, wrong = library.data(column), 0
    for value in range(1, rounds + 2):
        library.write_late(column, value, writing)
        event = library.event(writing)
        handle = library.event_handle(event) if has_event else None
        array, schema = arrow.floats(data, session.length, handle, column, event)
        table = session.tables.adopt(adopting, ctypes.addressof(array), ctypes.addressof(schema))
        values = session.tables.values(table, 0)
        session.java.scale(launching, values, doubled, 2, 0)
        session.java.close(table)
        wrong += session.java.wrong(launching, doubled, 2 * value) > 0 and value > 1
        library.wrong(column, value, writing)
        session.wait_until(lambda: arrow.lent() == 0)
        library.destroy(event)
    return wrong + arrow.lent()


def arrow_table_out(session, library, rounds, waits=True):
    """A kernel writes a column, and a library reads it after the event of Arrow's structure."""
    launching, reading = session.stream(), library.stream()
    ones = session.array(launching)
    session.java.fill(launching, ones, 1)
    table = session.table(launching)
    column = session.tables.writableValues(table, 0)
    wrong = 0
    for value in range(1, rounds + 2):
        session.java.scale(launching, ones, column, value, session.late_cycles)
        exported = arrow.Imported(session.tables, launching, table)
        if waits and exported.event() is not None:
            library.wait_for(reading, exported.event())
        tensor = library.from_dlpack(dlpack.Exported(exported.tensor), reading)
        trebled = library.times(tensor, 3, reading)
        is_wrong = exported.format != b"f" or library.wrong(trebled, 3 * value, reading) > 0
        session.java.synchronize(launching)
        exported.release()
        wrong += is_wrong and value > 1
    return wrong


def arrows_own_library(session):
    """Arrow's library reads the runtime's schema, and its memory of the host is refused."""
    try:
        import pyarrow
    except ImportError as e:
        raise Skipped(e)
    stream = session.stream()
    array, schema = arrow.DeviceArray(), arrow.Schema()
    places = ctypes.addressof(array), ctypes.addressof(schema)
    session.tables.export(stream, session.table(stream), *places)
    ours = pyarrow.Schema._import_from_c(places[1])
    session.tables.releaseArray(places[0])
    expected = pyarrow.schema([pyarrow.field("x", pyarrow.float32(), nullable=False)])
    batch = pyarrow.record_batch([pyarrow.array([1, 2], pyarrow.float32())], names=["x"])
    batch._export_to_c_device(*places)
    try:
        session.tables.adopt(stream, *places)
        is_refused = False
    except session.java_error as e:
        print(f"  refused: {e}")
        is_refused = True
    again = pyarrow.RecordBatch._import_from_c_device(*places)
    return (ours != expected) + (not is_refused) + (not again.equals(batch))
