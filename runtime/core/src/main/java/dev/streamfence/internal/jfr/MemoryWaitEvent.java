package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A task waits for device memory that others have. */
@Name(MemoryWaitEvent.NAME)
@Label("Memory Wait")
@Description("A task waits for device memory that others have")
@Category("Streamfence")
@Enabled(false)
final class MemoryWaitEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "MemoryWait";
  static final MemoryWaitEvent PROBE = new MemoryWaitEvent();

  @Label("Task")
  String task = "";

  @Label("Request")
  String request = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Ending")
  @Description("memory, retry, split, go or refused")
  String ending = "";
}
