package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
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
final class AllocationEvent extends MemoryEvent {
  static final String NAME = FlightEvents.PREFIX + "Allocation";
  static final AllocationEvent PROBE = new AllocationEvent();
}
