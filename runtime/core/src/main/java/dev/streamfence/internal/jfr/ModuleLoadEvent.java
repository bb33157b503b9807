package dev.streamfence.internal.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A kernel module is loaded. */
@Name(ModuleLoadEvent.NAME)
@Label("Module Load")
@Description("A kernel module is loaded")
final class ModuleLoadEvent extends FlightEvent {
  static final String NAME = FlightEvents.PREFIX + "ModuleLoad";
  static final ModuleLoadEvent PROBE = new ModuleLoadEvent();

  @Label("Module")
  String module = "";

  @Label("Bytes")
  @DataAmount
  long bytes;
}
