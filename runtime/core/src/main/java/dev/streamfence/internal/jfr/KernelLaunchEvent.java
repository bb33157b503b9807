package dev.streamfence.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel is put on a stream. */
@Name(KernelLaunchEvent.NAME)
@Label("Kernel Launch")
@Description("A kernel is put on a stream; the duration is that of the submission by the host")
@Category("Streamfence")
@Enabled(false)
@StackTrace(false)
final class KernelLaunchEvent extends WorkEvent {
  static final String NAME = FlightEvents.PREFIX + "KernelLaunch";
  static final KernelLaunchEvent PROBE = new KernelLaunchEvent();

  @Label("Kernel")
  @Description("The method that declares the kernel, or its entry point")
  String kernel = "";

  @Label("Shape")
  @Description("The blocks of the grid, and the threads of a block")
  String shape = "";
}
