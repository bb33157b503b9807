package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A spilled array comes back to the device, since it is used. */
@Name(SpillReturnEvent.NAME)
@Label("Spill Return")
@Description("A spilled array comes back to the device, since it is used")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class SpillReturnEvent extends SpilledArrayEvent {
  static final String NAME = FlightEvents.PREFIX + "SpillReturn";
  static final SpillReturnEvent PROBE = new SpillReturnEvent();
}
