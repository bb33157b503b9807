package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.StackTrace;

/** An event of the runtime: off unless a recording asks for it, and without a stack trace. */
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
abstract class FlightEvent extends Event {}
