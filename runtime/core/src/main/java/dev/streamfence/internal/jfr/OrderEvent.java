package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** What the events of two pieces of work that are ordered have in common. */
abstract class OrderEvent extends FlightEvent {
  @Label("Device")
  String device = "";

  @Label("Work")
  @Description("The later work")
  String work = "";

  @Label("Stream")
  @Description("The stream of the later work")
  int stream;

  @Label("Ticket")
  @Description("The last ticket of the later work")
  long ticket;

  @Label("Earlier Stream")
  int earlierStream;

  @Label("Earlier Ticket")
  @Description("0 for everything that other code has put on the stream")
  long earlierTicket;

  @Label("Array")
  @Description("The array that both use")
  String array = "";

  @Label("Earlier Writes")
  @Description("Whether the earlier work writes the array")
  boolean earlierWrites;

  @Label("Later Writes")
  @Description("Whether the later work writes the array")
  boolean laterWrites;

  /** A stream waits for another one. */
  @Name(StreamWaitEvent.NAME)
  @Label("Stream Wait")
  @Description("A stream is made to wait for another one, because of an array that both use")
  static final class StreamWaitEvent extends OrderEvent {
    static final String NAME = FlightEvents.PREFIX + "StreamWait";
    static final StreamWaitEvent PROBE = new StreamWaitEvent();
  }

  /** Work comes after earlier work, and that took no wait. */
  @Name(DependencyEvent.NAME)
  @Label("Dependency without Wait")
  @Description("Work comes after earlier work because of an array that both use, without a wait")
  static final class DependencyEvent extends OrderEvent {
    static final String NAME = FlightEvents.PREFIX + "Dependency";
    static final DependencyEvent PROBE = new DependencyEvent();

    @Label("Satisfied")
    @Description("BY_STREAM_ORDER, BY_EARLIER_WAIT or ALREADY_DONE")
    String satisfied = "";
  }
}
