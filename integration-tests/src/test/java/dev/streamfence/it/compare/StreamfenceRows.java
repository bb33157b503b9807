package dev.streamfence.it.compare;

import dev.streamfence.DeviceRuntime;
import java.io.IOException;

/** A process of the runtime. */
final class StreamfenceRows {
  private StreamfenceRows() {}

  /**
   * Serves a group.
   *
   * @param arguments its {@link RowGroup.Kind}, and {@code IDLE} to try the rows without a GPU:
   *     their numbers then mean nothing
   */
  public static void main(String[] arguments) throws IOException {
    RowGroup.Kind kind = RowGroup.Kind.valueOf(arguments[0]);
    Device device = arguments.length > 1 ? Device.valueOf(arguments[1]) : Device.GPU;
    boolean canRun = kind.needsNoGpu() || device == Device.IDLE || DeviceRuntime.isGpuAvailable();
    Server.serve(kind.on(device), canRun ? "" : "there is no GPU here");
  }
}
