package dev.streamfence.internal.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The device has carried out work. */
@Name(DeviceTimeEvent.NAME)
@Label("Device Time")
@Description("The device has carried out work")
final class DeviceTimeEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "DeviceTime";
  static final DeviceTimeEvent PROBE = new DeviceTimeEvent();

  @Label("Device")
  @Description("The runtime, with the name and the number of its device")
  String device = "";

  @Label("Stream")
  int stream;

  @Label("Ticket")
  @Description("The place among the work of the stream")
  long ticket;

  @Label("Work")
  @Description("The kernel, or the kind of transfer")
  String work = "";

  @Label("Queue Time")
  @Description("From the beginning of the submission to the beginning of the execution")
  @Timespan(Timespan.NANOSECONDS)
  long queueTime;

  @Label("Execution Time")
  @Timespan(Timespan.NANOSECONDS)
  long executionTime;
}
