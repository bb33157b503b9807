package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Device memory is allocated, or that is refused. */
@Name(AllocationEvent.NAME)
@Label("Allocation")
@Description("Device memory is allocated, or that is refused")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class AllocationEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "Allocation";
  static final AllocationEvent PROBE = new AllocationEvent();

  @Label("Device")
  String device = "";

  @Label("Stream")
  int stream;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Tag")
  String tag = "";

  @Label("Generation")
  @Description("The number of the allocation; 0 if it was refused")
  long generation;

  @Label("Error")
  @Description("Empty if it succeeded")
  String error = "";
}
