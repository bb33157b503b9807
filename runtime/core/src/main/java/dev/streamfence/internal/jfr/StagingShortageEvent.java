package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A transfer waits for page-locked memory that other transfers use. */
@Name(StagingShortageEvent.NAME)
@Label("Staging Shortage")
@Description("A transfer waits for page-locked memory that other transfers use")
final class StagingShortageEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "StagingShortage";
  static final StagingShortageEvent PROBE = new StagingShortageEvent();
}
