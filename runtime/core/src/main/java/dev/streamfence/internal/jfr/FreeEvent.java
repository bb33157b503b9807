package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Device memory is freed. */
@Name(FreeEvent.NAME)
@Label("Free")
@Description("Device memory is freed")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class FreeEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "Free";
  static final FreeEvent PROBE = new FreeEvent();

  @Label("Device")
  String device = "";

  @Label("Stream")
  @Description("That it was allocated on")
  int stream;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Tag")
  String tag = "";

  @Label("Generation")
  long generation;

  @Label("Error")
  @Description("Empty if it succeeded")
  String error = "";
}
