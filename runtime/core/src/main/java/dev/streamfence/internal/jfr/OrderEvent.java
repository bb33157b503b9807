package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** What the events of two pieces of work that are ordered have in common. */
abstract class OrderEvent extends Event {
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
}
