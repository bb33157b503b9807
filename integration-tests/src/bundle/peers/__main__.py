"""Checks the runtime beside PyTorch and CuPy in one process; or beside stand-ins, without a GPU.

Python starts the Java virtual machine. Prints a line for each check, and last how many failed.
"""

import argparse
import contextlib
import faulthandler
import gc
import glob
import os
import sys
import time
import traceback

import checks
import dlpack
import gpu
import jvm
import simulated

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Each check with whether a fence is left out of it, so that it must see wrong values.
CHECKS = {
    "there and back, the producer makes our stream wait": (
        False, lambda s, a, b, n: checks.one_by_one(s, a, b, n)),
    "there and back, our stream waits for the producer's": (
        False, lambda s, a, b, n: checks.one_by_one(s, a, b, n, inbound="stream")),
    "there and back, our stream waits for an event": (
        False, lambda s, a, b, n: checks.one_by_one(s, a, b, n, inbound="event")),
    "there and back, tensors of the legacy form": (
        False, lambda s, a, b, n: checks.one_by_one(s, a, b, n, inbound="legacy", outbound="legacy")),
    "there and back, without the wait for the producer": (
        True, lambda s, a, b, n: checks.one_by_one(s, a, b, n, inbound="none")),
    "there and back, without the wait of the consumer": (
        True, lambda s, a, b, n: checks.one_by_one(s, a, b, n, outbound="none")),
    "the other way round, the producer makes our stream wait": (
        False, lambda s, a, b, n: checks.one_by_one(s, b, a, n)),
    "the other way round, without the wait for the producer": (
        True, lambda s, a, b, n: checks.one_by_one(s, b, a, n, inbound="none")),
    "the other way round, without the wait of the consumer": (
        True, lambda s, a, b, n: checks.one_by_one(s, b, a, n, outbound="none")),
    "all rounds in flight, in memory that each round writes": (
        False, lambda s, a, b, n: checks.in_flight(s, a, b, n, inbound="stream")),
    "all rounds in flight, in memory that each round drops": (
        False, lambda s, a, b, n: checks.in_flight(s, a, b, n, keeps=False)),
    "both directions in four threads": (
        False, lambda s, a, b, n: checks.in_threads(s, a, b, n)),
    "written by the first": (
        False, lambda s, a, b, n: checks.written_by_the_other(s, a, n)),
    "written by the second": (
        False, lambda s, a, b, n: checks.written_by_the_other(s, b, n)),
    "written by the second, without a stream to wait for": (
        True, lambda s, a, b, n: checks.written_by_the_other(s, b, n, outbound="none")),
    "dropped by the first while a kernel reads it": (
        False, lambda s, a, b, n: checks.dropped_by_the_owner(s, a, n)),
    "dropped by the second while a kernel reads it": (
        False, lambda s, a, b, n: checks.dropped_by_the_owner(s, b, n)),
    "dropped by the first, and not kept alive": (
        True, lambda s, a, b, n: checks.dropped_by_the_owner(s, a, n, keeps_alive=False)),
    "kernels on an adopted stream of the first": (
        False, lambda s, a, b, n: checks.on_an_adopted_stream(s, a, n)),
    "kernels on an adopted stream of the second": (
        False, lambda s, a, b, n: checks.on_an_adopted_stream(s, b, n)),
    "tensors of the first that are refused": (
        False, lambda s, a, b, n: checks.refusals(s, a, host_tensor())),
    "tensors of the second that are refused": (
        False, lambda s, a, b, n: checks.refusals(s, b, None)),
    "an Arrow table of the first": (
        False, lambda s, a, b, n: checks.arrow_table_in(s, a, n)),
    "an Arrow table of the first, without its event": (
        True, lambda s, a, b, n: checks.arrow_table_in(s, a, n, has_event=False)),
    "an Arrow table for the second": (
        False, lambda s, a, b, n: checks.arrow_table_out(s, b, n)),
    "an Arrow table for the second, who ignores its event": (
        True, lambda s, a, b, n: checks.arrow_table_out(s, b, n, waits=False)),
    "an Arrow table and Arrow's own library": (
        False, lambda s, a, b, n: checks.arrows_own_library(s)),
}


def host_tensor():
    """A tensor of the host, if numpy is here and is new enough."""
    try:
        import numpy

        tensor = numpy.zeros(8, dtype=numpy.float32)
        tensor.__dlpack__(max_version=(1, 1))
        return tensor
    except (ImportError, TypeError):
        return None


class Session:
    """A runtime for one check, after which everything must have been given back."""

    def __init__(self, java, tables, runtime, length, late_cycles):
        self.java, self.tables = java, tables
        self.length, self.late_cycles = length, late_cycles
        self.java_error = jvm.JavaError
        self._runtime = runtime
        self._opened = []
        self._handles = {}

    def _keep(self, number):
        self._opened.append(number)
        return number

    def stream(self):
        return self._keep(self.java.acquire(self._runtime))

    @contextlib.contextmanager
    def adopted_stream(self, handle):
        stream = self.java.adoptStream(self._runtime, handle)
        yield stream
        self.java.close(stream)

    def handle(self, stream):
        if stream not in self._handles:
            self._handles[stream] = self.java.handle(stream)
        return self._handles[stream]

    def array(self, stream):
        return self._keep(self.java.allocate(stream, self.length))

    def table(self, stream):
        return self._keep(self.tables.allocate(stream, self.length))

    def adopt(self, stream, given, order, handle):
        address, name = dlpack.content(given)
        versioned = int(name == dlpack.VERSIONED)
        array = self.java.adopt(stream, address, versioned, order, handle)
        dlpack.take(given, name)
        return array

    def adopt_address(self, stream, address, name):
        versioned = int(name == dlpack.VERSIONED)
        return self.java.adopt(stream, address, versioned, checks.DONE, 0)

    def adopt_raw(self, stream, given):
        """The memory of a tensor alone, so that its owner may free it at any time."""
        address, name = dlpack.content(given)
        tensor = dlpack.FORMS[name].from_address(address).tensor
        return self.java.adoptMemory(stream, tensor.data + tensor.byte_offset, self.length)

    def exported(self, array, way="handshake"):
        def export(*consumer):
            return self.java.export(array, *consumer)

        stream = dlpack.NO_STREAM if way == "none" else None
        return dlpack.Exported(export, stream=stream, legacy=way == "legacy")

    def wait_until(self, condition):
        """Whether it becomes true soon."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if condition():
                return True
            time.sleep(0.001)
        return False

    def has_given_back(self):
        """Whether all that was adopted goes back to its owners, without the end of the runtime."""
        return self.wait_until(lambda: self.java.adoptedBytes(self._runtime) == 0)

    def close(self):
        while self._opened:
            self.java.close(self._opened.pop())
        self.java.close(self._runtime)


class OnTheGpu:
    # So few that a kernel which waits leaves room on the device for those that should not run yet.
    length, late_cycles = 1 << 16, gpu.LATE_CYCLES

    def __init__(self, vm):
        self._java = vm.find("dev/streamfence/it/Peers")
        self._tables = vm.find("dev/streamfence/it/PeerTables")
        # CUDA's context is the same for all of them: the primary one of the device.
        self.first, self.second = gpu.Torch(), gpu.Cupy()
        print(f"torch {self.first.version}, CuPy {self.second.version}")

    def open(self, collects):
        runtime = self._java.open(0)
        return Session(self._java, self._tables, runtime, self.length, self.late_cycles)

    def races(self):
        return 0

    def left(self):
        return 0


class Simulated:
    length, late_cycles = 64, 0

    def __init__(self, vm, seed):
        self._java = vm.find("dev/streamfence/it/Peers")
        self._tables = vm.find("dev/streamfence/it/PeerTables")
        self._simulation = vm.find("dev/streamfence/it/SimulatedPeers")
        self._seed = seed

    def open(self, collects):
        # Otherwise a race ends the device, and so fails the check with a report of it.
        self._device = self._simulation.device(self._seed, int(collects))
        self.first, self.second = (
            simulated.Library(self._simulation, self._device, index) for index in (1, 2)
        )
        runtime = self._simulation.open(self._device)
        return Session(self._java, self._tables, runtime, self.length, self.late_cycles)

    def races(self):
        return self._simulation.findings(self._device)

    def left(self):
        return self._simulation.liveObjects(self._device)


def run(world, check, leaves_fence_out, rounds):
    """Runs a check; what is wrong with it, or nothing."""
    session = world.open(leaves_fence_out)
    gc.collect()
    held = [library.held() for library in (world.first, world.second)]
    try:
        wrong = check(session, world.first, world.second, rounds)
        gc.collect()
        has_given_back = session.has_given_back()
    finally:
        gc.collect()
        session.close()
    if not has_given_back:
        return "tensors were adopted and not given back"
    races, left = world.races(), world.left()
    if left:
        return f"{left} things were left on the device"
    still = [library.held() for library in (world.first, world.second)]
    if still != held:
        return f"the libraries hold {still} bytes, and held {held} before"
    if leaves_fence_out:
        return "" if wrong or races else "no wrong value was seen without the fence"
    return f"{wrong} wrong, {races} races" if wrong or races else ""


def main():
    parser = argparse.ArgumentParser(prog="peers", description=__doc__)
    parser.add_argument("--simulated", type=int, metavar="SEED", help="without a GPU; 0 is lazy")
    parser.add_argument("--rounds", type=int, default=50, help="of each check")
    parser.add_argument("--limit", type=int, default=60, help="seconds for each check")
    parser.add_argument("--only", default="", help="the checks with this in their name")
    parser.add_argument("--java", default=os.path.join(FOLDER, "java"), help="a Java runtime")
    parser.add_argument("--class-path", default="", help="the bundle's jars, unless given")
    options = parser.parse_args()
    # Ends the process with the stacks of all its threads, also when they wait for each other.
    faulthandler.dump_traceback_later(2 * options.limit, exit=True)
    jars = sorted(glob.glob(os.path.join(FOLDER, "lib", "*.jar")))
    vm = jvm.Jvm(
        os.path.join(options.java, "lib", "server", "libjvm.so"),
        options.class_path or ":".join(jars),
        "-Djava.library.path=" + os.path.join(FOLDER, "native", "lib"),
        *os.environ.get("JAVA_FLAGS", "").split(),
    )
    world = OnTheGpu(vm) if options.simulated is None else Simulated(vm, options.simulated)
    failed = count = 0
    for name, (leaves_fence_out, check) in CHECKS.items():
        if options.only not in name:
            continue
        count += 1
        faulthandler.dump_traceback_later(options.limit, exit=True)
        begun = time.monotonic()
        try:
            failure = run(world, check, leaves_fence_out, options.rounds)
        except checks.Skipped as e:
            count -= 1
            print("skipped:", name, f"({e})")
            continue
        except Exception as e:
            traceback.print_exc()
            failure = f"{type(e).__name__}: {e}"
        failed += failure != ""
        for role, library in (("the first", world.first), ("the second", world.second)):
            name = name.replace(role, library.name)
        seconds = f"{time.monotonic() - begun:.1f} s"
        print("FAILED:" if failure else "ok:", name, f"({seconds})", failure, flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"peers: {count} checks, {failed} failed", flush=True)
    # Not through the end of the interpreter, which takes down libraries that Java still calls.
    os._exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
