package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What the events of waits for memory and of spilled arrays have in common. */
abstract class PressureEvent extends FlightEvent {
  @Label("Device")
  String device = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  /** A task waits for device memory that others have. */
  @Name(MemoryWaitEvent.NAME)
  @Label("Memory Wait")
  @Description("A task waits for device memory that others have")
  @StackTrace
  static final class MemoryWaitEvent extends PressureEvent {
    static final String NAME = FlightEvents.PREFIX + "MemoryWait";
    static final MemoryWaitEvent PROBE = new MemoryWaitEvent();

    @Label("Task")
    String task = "";

    @Label("Request")
    String request = "";

    @Label("Ending")
    @Description("MEMORY, RETRY, SPLIT, TURN, REFUSED, INTERRUPTED, CLOSED or FAILED")
    String ending = "";
  }

  /** What the events of an array that leaves the device and that comes back have in common. */
  abstract static class SpilledArrayEvent extends PressureEvent {
    @Label("Array")
    String array = "";

    @Label("Place")
    @Description("HOST or DISK")
    String place = "";
  }

  /** An idle array leaves the device, since its memory is needed. */
  @Name(SpillEvent.NAME)
  @Label("Spill")
  @Description("An idle array leaves the device, since its memory is needed")
  static final class SpillEvent extends SpilledArrayEvent {
    static final String NAME = FlightEvents.PREFIX + "Spill";
    static final SpillEvent PROBE = new SpillEvent();
  }

  /** A spilled array comes back to the device, since it is used. */
  @Name(SpillReturnEvent.NAME)
  @Label("Spill Return")
  @Description("A spilled array comes back to the device, since it is used")
  static final class SpillReturnEvent extends SpilledArrayEvent {
    static final String NAME = FlightEvents.PREFIX + "SpillReturn";
    static final SpillReturnEvent PROBE = new SpillReturnEvent();
  }
}
