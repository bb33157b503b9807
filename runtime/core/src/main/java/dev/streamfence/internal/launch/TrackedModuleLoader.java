package dev.streamfence.internal.launch;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import java.util.Objects;

/** Loads modules for a stream's launchers. Stateless and thread-safe. */
public final class TrackedModuleLoader {
  private TrackedModuleLoader() {}

  public static LoadedModule load(DeviceStream stream, KernelImage image) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(image, "image");
    Timeline timeline = TrackedStream.timelineOf(stream);
    TrackedRuntime runtime = TrackedStream.of(stream).runtime();
    runtime.life().enter();
    try {
      return new TrackedModule(stream, KernelModules.of(runtime).load(image, timeline));
    } finally {
      runtime.life().leave();
    }
  }
}
