package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Work runs longer than the watchdog allows. */
@Name(OverdueWorkEvent.NAME)
@Label("Overdue Work")
@Description("The device works on a kernel or a copy for longer than the watchdog allows")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class OverdueWorkEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "OverdueWork";

  @Label("Work")
  String work = "";

  @Label("Running")
  @Timespan(Timespan.NANOSECONDS)
  long running;
}
