package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Device memory is freed. */
@Name(FreeEvent.NAME)
@Label("Free")
@Description("Device memory is freed")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class FreeEvent extends MemoryEvent {
  static final String NAME = FlightEvents.PREFIX + "Free";
  static final FreeEvent PROBE = new FreeEvent();
}
