package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Work that is neither a launch nor a transfer is put on a stream. */
@Name(StreamWorkEvent.NAME)
@Label("Other Work on a Stream")
@Description("A graph, an allocation or a free in stream order, or a call of other code")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class StreamWorkEvent extends WorkEvent {
  static final String NAME = FlightEvents.PREFIX + "StreamWork";
  static final StreamWorkEvent PROBE = new StreamWorkEvent();

  @Label("Kind")
  @Description("ALLOCATION, FREE, GRAPH, CALL or OTHER")
  String kind = "";

  @Label("Work")
  String work = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Detail")
  String detail = "";

  @Label("Graph")
  @Description("The number of the graph that runs; 0 for other work")
  long graph;
}
