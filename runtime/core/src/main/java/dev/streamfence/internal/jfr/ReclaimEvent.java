package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Freed memory is returned to the budget, since an allocation needs it. */
@Name(ReclaimEvent.NAME)
@Label("Reclaim")
@Description("Freed memory is returned to the budget, since an allocation needs it")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class ReclaimEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "Reclaim";
  static final ReclaimEvent PROBE = new ReclaimEvent();

  @Label("Device")
  String device = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Error")
  @Description("Empty if it succeeded")
  String error = "";
}
