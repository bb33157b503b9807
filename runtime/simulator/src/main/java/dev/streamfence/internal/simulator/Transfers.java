package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.schedule.ModelledTime;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The driver calls that copy and fill. Confined to the driver's lock. */
final class Transfers {
  private final DeviceState state;
  private final Submissions submissions;
  private final MappedMemory memory;
  private final @Nullable RaceChecker checker;

  /** The node of a graph that they are; empty if each is a driver call of its own. */
  private final String purpose;

  private final long ticket;

  Transfers(
      DeviceState state,
      Submissions submissions,
      MappedMemory memory,
      @Nullable RaceChecker checker) {
    this(state, submissions, memory, checker, "", 0);
  }

  private Transfers(
      DeviceState state,
      Submissions submissions,
      MappedMemory memory,
      @Nullable RaceChecker checker,
      String purpose,
      long ticket) {
    this.state = state;
    this.submissions = submissions;
    this.memory = memory;
    this.checker = checker;
    this.purpose = purpose;
    this.ticket = ticket;
  }

  /** The same, which reports name as a node of a graph, and the ticket of its launch. */
  Transfers of(String node, long launch) {
    return new Transfers(state, submissions, memory, checker, node, launch);
  }

  private Submitted submit(SimulatedStream stream, Use... uses) {
    return purpose.isEmpty()
        ? submissions.submit(stream, uses)
        : submissions.submit(stream, purpose, ticket, List.of(uses), false, null);
  }

  void copyToDevice(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    SimulatedHostMemory from = requireRange(source, sourceOffset, bytes);
    copy(
        known,
        ModelledTime.hostCopy(bytes),
        new Use("source", from.address() + sourceOffset, bytes, true, false),
        new Use("destination", destination, bytes, false, true),
        () -> {
          SimulatedAllocation target = memory.require(destination, bytes);
          target
              .bytes()
              .read(from.bytes(), (int) sourceOffset, target.offset(destination), (int) bytes);
        });
  }

  void copyToHost(
      HostMemory destination,
      long destinationOffset,
      long source,
      long bytes,
      StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    SimulatedHostMemory to = requireRange(destination, destinationOffset, bytes);
    copy(
        known,
        ModelledTime.hostCopy(bytes),
        new Use("source", source, bytes, true, false),
        new Use("destination", to.address() + destinationOffset, bytes, false, true),
        () -> {
          SimulatedAllocation from = memory.require(source, bytes);
          from.bytes().write(to.bytes(), (int) destinationOffset, from.offset(source), (int) bytes);
        });
  }

  void copyOnDevice(long destination, long source, long bytes, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    copy(
        known,
        ModelledTime.onDevice(bytes),
        new Use("source", source, bytes, true, false),
        new Use("destination", destination, bytes, false, true),
        () -> {
          SimulatedAllocation from = memory.require(source, bytes);
          SimulatedAllocation to = memory.require(destination, bytes);
          to.bytes().copy(from.bytes(), from.offset(source), to.offset(destination), bytes);
        });
  }

  /** Copies from another device of the machine; leaves the bytes as they are if that is lost. */
  void copyFromPeer(
      long destination, Transfers peer, long source, long bytes, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    copy(
        known,
        ModelledTime.hostCopy(bytes),
        new Use("source", source, bytes, true, false),
        new Use("destination", destination, bytes, false, true),
        () -> {
          if (peer.state.isUsable()) {
            SimulatedAllocation from = peer.memory.require(source, bytes);
            SimulatedAllocation to = memory.require(destination, bytes);
            to.bytes().copy(from.bytes(), from.offset(source), to.offset(destination), bytes);
          }
        });
  }

  /** Fills with values of {@code width} bytes, one every {@code pitch} bytes. */
  void fill(long destination, long pitch, int width, long value, long count, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    state.requireArgument(destination % width == 0 && pitch % width == 0, "a misaligned address");
    long bytes = (count - 1) * pitch + width;
    Submitted op = submit(known, new Use("destination", destination, bytes, false, true));
    submissions.access(
        known,
        op,
        ModelledTime.onDevice(count * width),
        () -> {
          SimulatedAllocation target = memory.require(destination, bytes);
          long offset = target.offset(destination);
          if (pitch == width) {
            target.bytes().fill(offset, width, value, count);
          } else {
            for (long i = 0; i < count; i++) {
              target.bytes().store(offset + i * pitch, width, value);
            }
          }
          if (checker != null) {
            checker.filled(op, destination, pitch, width, count);
          }
        });
  }

  /**
   * Reads a number of 32 bits at once, for a condition that has its turn.
   *
   * @return 0 as well if the device is lost
   */
  int number(SimulatedStream stream, Use number) {
    Submitted op = submit(stream, number);
    int[] read = new int[1];
    submissions.accessNow(
        op,
        () -> {
          read[0] = (int) memory.load(number.address(), Integer.BYTES);
          if (checker != null) {
            checker.transferred(op);
          }
        });
    return state.isUsable() ? read[0] : 0;
  }

  /** Ends the device if a loop has run too often. */
  void tooManyPasses(String purpose, int passes) {
    state.lose(
        ResultCode.LAUNCH_TIMEOUT,
        new DeviceException(
            purpose
                + " has run "
                + passes
                + " passes and its number is not 0; a GPU would not end it"));
  }

  private void copy(SimulatedStream stream, long nanos, Use from, Use to, Runnable run) {
    Submitted op = submit(stream, from, to);
    submissions.access(
        stream,
        op,
        nanos,
        () -> {
          run.run();
          if (checker != null) {
            checker.transferred(op);
          }
        });
  }

  private SimulatedHostMemory requireRange(HostMemory host, long offset, long bytes) {
    if (host instanceof SimulatedHostMemory known
        && offset >= 0
        && bytes >= 0
        && offset <= host.sizeInBytes() - bytes) {
      return known;
    }
    throw state.error(
        ResultCode.INVALID_VALUE, bytes + " bytes from offset " + offset + " of host memory");
  }
}
