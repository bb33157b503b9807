package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** What the events of an allocation and of its free have in common. */
abstract class MemoryEvent extends Event {
  @Label("Device")
  String device = "";

  @Label("Stream")
  @Description("The stream that the memory is allocated on")
  int stream;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Tag")
  String tag = "";

  @Label("Generation")
  @Description("The number of the allocation; 0 if it was refused")
  long generation;

  @Label("Error")
  @Description("Empty if it succeeded")
  String error = "";
}
