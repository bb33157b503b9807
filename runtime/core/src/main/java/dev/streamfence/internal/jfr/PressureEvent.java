package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** What the events of waits for memory and of spilled arrays have in common. */
abstract class PressureEvent extends Event {
  @Label("Device")
  String device = "";

  @Label("Bytes")
  @DataAmount
  long bytes;
}
