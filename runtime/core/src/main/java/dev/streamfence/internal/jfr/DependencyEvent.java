package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Work comes after earlier work, and that took no wait. */
@Name(DependencyEvent.NAME)
@Label("Dependency without Wait")
@Description("Work comes after earlier work because of an array that both use, without a wait")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class DependencyEvent extends OrderEvent {
  static final String NAME = FlightEvents.PREFIX + "Dependency";
  static final DependencyEvent PROBE = new DependencyEvent();

  @Label("Satisfied")
  @Description("BY_STREAM_ORDER, BY_EARLIER_WAIT or ALREADY_DONE")
  String satisfied = "";
}
