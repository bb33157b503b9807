package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** What the events of work on a stream have in common. */
abstract class WorkEvent extends Event {
  @Label("Device")
  @Description("The runtime, with the name and the number of its device")
  String device = "";

  @Label("Stream")
  int stream;

  @Label("Stream Name")
  String streamName = "";

  @Label("First Ticket")
  @Description("Less than the ticket for work in parts")
  long firstTicket;

  @Label("Ticket")
  @Description("The place among the work of the stream")
  long ticket;

  @Label("Queued")
  @Description("Whether it has reached the device")
  boolean queued;

  @Label("Uses")
  @Description("Per array and line: access, parameter, tag and memory")
  String uses = "";
}
