package dev.streamfence.internal.launch;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.launch.ModuleLoader;

/** The implementation of {@link ModuleLoader}. */
public final class TrackedModuleLoader implements ModuleLoader {
  @Override
  public LoadedModule load(DeviceStream stream, KernelImage image) {
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
