package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;

/** What the events of an array that leaves the device and that comes back have in common. */
abstract class SpilledArrayEvent extends PressureEvent {
  @Label("Array")
  String array = "";

  @Label("Place")
  @Description("HOST or DISK")
  String place = "";
}
