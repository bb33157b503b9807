package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A stream waits for another one. */
@Name(StreamWaitEvent.NAME)
@Label("Stream Wait")
@Description("A stream is made to wait for another one, because of an array that both use")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class StreamWaitEvent extends OrderEvent {
  static final String NAME = FlightEvents.PREFIX + "StreamWait";
  static final StreamWaitEvent PROBE = new StreamWaitEvent();
}
