package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Freed memory is returned to the budget, since an allocation needs it. */
@Name(ReclaimEvent.NAME)
@Label("Reclaim")
@Description("Freed memory is returned to the budget, since an allocation needs it")
final class ReclaimEvent extends FlightEvent {
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
