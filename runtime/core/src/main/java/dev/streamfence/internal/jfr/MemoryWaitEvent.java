package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A task waits for device memory that others have. */
@Name(MemoryWaitEvent.NAME)
@Label("Memory Wait")
@Description("A task waits for device memory that others have")
@Category("Streamfence")
@Enabled(false)
final class MemoryWaitEvent extends PressureEvent {
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
