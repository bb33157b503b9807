package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** Work runs longer than the watchdog allows. */
@Name(OverdueWorkEvent.NAME)
@Label("Overdue Work")
@Description("The device works on a kernel or a copy for longer than the watchdog allows")
final class OverdueWorkEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "OverdueWork";

  @Label("Work")
  String work = "";

  @Label("Running")
  @Timespan(Timespan.NANOSECONDS)
  long running;
}
