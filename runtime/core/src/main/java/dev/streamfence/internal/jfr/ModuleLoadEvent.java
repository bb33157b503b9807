package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel module is loaded. */
@Name(ModuleLoadEvent.NAME)
@Label("Module Load")
@Description("A kernel module is loaded")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class ModuleLoadEvent extends Event {
  static final String NAME = FlightEvents.PREFIX + "ModuleLoad";
  static final ModuleLoadEvent PROBE = new ModuleLoadEvent();

  @Label("Module")
  String module = "";

  @Label("Bytes")
  @DataAmount
  long bytes;
}
