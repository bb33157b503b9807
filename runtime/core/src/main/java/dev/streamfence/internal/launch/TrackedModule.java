package dev.streamfence.internal.launch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.launch.KernelOccupancy;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.Objects;

/** The implementation of {@link LoadedModule}. */
public final class TrackedModule implements LoadedModule {
  private final DeviceStream stream;
  private final LoadedImage image;

  TrackedModule(DeviceStream stream, LoadedImage image) {
    this.stream = stream;
    this.image = image;
  }

  @Override
  public LaunchRecorder recorder(KernelSignature signature) {
    return recorder(signature, true, LaunchName.of(signature));
  }

  @Override
  public LaunchRecorder recorder(KernelSignature signature, Class<?> declaring, String method) {
    return recorder(signature, true, LaunchName.of(signature, declaring, method));
  }

  @Override
  public LaunchRecorder permissiveRecorder(KernelSignature signature) {
    return recorder(signature, false, LaunchName.of(signature));
  }

  @Override
  public <A> DeviceArray<A> symbol(String name, Class<A> arrayType) {
    Objects.requireNonNull(name, "name");
    TrackedStream.of(stream).runtime().life().requireOpen();
    @SuppressWarnings("unchecked")
    DeviceArray<A> array = (DeviceArray<A>) image.symbols().array(name, arrayType);
    return array;
  }

  @Override
  public void unload() {
    TrackedRuntime runtime = TrackedStream.of(stream).runtime();
    runtime.life().enter();
    try {
      runtime.life().requireNotRecording(() -> "unloading " + image);
      KernelModules.of(runtime).unload(image);
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public KernelOccupancy occupancy(String entry) {
    Objects.requireNonNull(entry, "entry");
    TrackedStream.timelineOf(stream);
    Life life = TrackedStream.of(stream).runtime().life();
    life.enter();
    try {
      return image.occupancy(entry);
    } finally {
      life.leave();
    }
  }

  private LaunchRecorder recorder(KernelSignature signature, boolean strict, LaunchName name) {
    signature.requireComplete();
    Timeline timeline = TrackedStream.timelineOf(stream);
    Life life = TrackedStream.of(stream).runtime().life();
    life.enter();
    try {
      LoadedKernel kernel = image.kernel(signature);
      ArgumentFrame frame = image.frame(timeline, signature);
      return new TrackedRecorder(
          kernel, stream, timeline, frame, image.tables(timeline, signature), strict, name);
    } finally {
      life.leave();
    }
  }
}
