package dev.streamfence.launch;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Timeline;

/** The kernels of one image, to be launched on one stream. Thread-safe. */
public final class LoadedModule {
  private final DeviceStream stream;
  private final LoadedImage image;

  private LoadedModule(DeviceStream stream, LoadedImage image) {
    this.stream = stream;
    this.image = image;
  }

  /**
   * Loads an image on the device of a stream, unless it is loaded there already. May wait for the
   * device the first time.
   *
   * @throws dev.streamfence.KernelLoadException if the image is missing or the device refuses it
   */
  public static LoadedModule of(DeviceStream stream, KernelImage image) {
    TrackedStream.timelineOf(stream);
    Life life = TrackedStream.of(stream).runtime().life();
    life.enter();
    try {
      return new LoadedModule(
          stream, KernelModules.of(TrackedStream.of(stream).runtime()).load(image));
    } finally {
      life.leave();
    }
  }

  /**
   * A strict recorder: it takes tracked arrays only.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such kernel, or one with other
   *     parameters
   * @throws IllegalArgumentException if not exactly one parameter of the signature says how many
   *     threads run
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is
   */
  public LaunchRecorder recorder(KernelSignature signature) {
    return recorder(signature, true);
  }

  /**
   * A permissive recorder: it also takes untracked addresses, see {@link LaunchRecorder#untracked}.
   *
   * @throws dev.streamfence.KernelLoadException if the module has no such kernel, or one with other
   *     parameters
   * @throws IllegalArgumentException if not exactly one parameter of the signature says how many
   *     threads run
   * @throws dev.streamfence.StreamMisuseException if the stream is closed
   * @throws dev.streamfence.RuntimeClosedException if its runtime is
   */
  public LaunchRecorder permissiveRecorder(KernelSignature signature) {
    return recorder(signature, false);
  }

  private LaunchRecorder recorder(KernelSignature signature, boolean strict) {
    signature.requireComplete();
    Timeline timeline = TrackedStream.timelineOf(stream);
    Life life = TrackedStream.of(stream).runtime().life();
    life.enter();
    try {
      LoadedKernel kernel = image.kernel(signature);
      ArgumentFrame frame = image.frame(timeline, signature);
      return new LaunchRecorder(kernel, stream, timeline, frame, strict);
    } finally {
      life.leave();
    }
  }
}
