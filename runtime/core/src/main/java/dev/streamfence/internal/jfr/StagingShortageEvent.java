package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A transfer waits for page-locked memory that other transfers use. */
@Name(StagingShortageEvent.NAME)
@Label("Staging Shortage")
@Description("A transfer waits for page-locked memory that other transfers use")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class StagingShortageEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "StagingShortage";
  static final StagingShortageEvent PROBE = new StagingShortageEvent();
}
