package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** What the events of an allocation and of its free have in common. */
abstract class MemoryEvent extends FlightEvent {
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

  /** Device memory is allocated, or that is refused. */
  @Name(AllocationEvent.NAME)
  @Label("Allocation")
  @Description("Device memory is allocated, or that is refused")
  static final class AllocationEvent extends MemoryEvent {
    static final String NAME = FlightEvents.PREFIX + "Allocation";
    static final AllocationEvent PROBE = new AllocationEvent();
  }

  /** Device memory is freed. */
  @Name(FreeEvent.NAME)
  @Label("Free")
  @Description("Device memory is freed")
  static final class FreeEvent extends MemoryEvent {
    static final String NAME = FlightEvents.PREFIX + "Free";
    static final FreeEvent PROBE = new FreeEvent();
  }
}
