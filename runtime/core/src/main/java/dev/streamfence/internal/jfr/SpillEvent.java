package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An idle array leaves the device, since its memory is needed. */
@Name(SpillEvent.NAME)
@Label("Spill")
@Description("An idle array leaves the device, since its memory is needed")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class SpillEvent extends SpilledArrayEvent {
  static final String NAME = FlightEvents.PREFIX + "Spill";
  static final SpillEvent PROBE = new SpillEvent();
}
