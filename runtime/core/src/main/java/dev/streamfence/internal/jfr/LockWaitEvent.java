package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A thread waits for another one that puts work on the same stream. */
@Name(LockWaitEvent.NAME)
@Label("Lock Wait")
@Description("A thread waits for another one that puts work on the same stream")
@StackTrace
@Threshold("1 ms")
final class LockWaitEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "LockWait";
  static final LockWaitEvent PROBE = new LockWaitEvent();
}
