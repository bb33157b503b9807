package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link Access} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class AccessLauncher implements Access {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("names.ptx", AccessLauncher.class::getResourceAsStream);

  /** What {@code image} takes. */
  private static final KernelSignature IMAGE_2 = KernelSignature.entry("image")
      .value("stream", int.class)
      .value("module", int.class)
      .value("image", int.class)
      .threads("IMAGE", int.class, 256);

  /** What {@code recorder} takes. */
  private static final KernelSignature RECORDER = KernelSignature.entry("recorder")
      .value("recorder", int.class)
      .value("recorder2", int.class)
      .shape("record");

  /** What {@code stream} takes. */
  private static final KernelSignature STREAM = KernelSignature.entry("stream")
      .reads("var", int[].class)
      .threads("$T", int.class, 256);

  /** What {@code module} takes. */
  private static final KernelSignature MODULE = KernelSignature.entry("module")
      .threads("this$0", int.class, 256);

  /** What {@code on} takes. */
  private static final KernelSignature ON = KernelSignature.entry("on")
      .threads("n", int.class, 256);

  /** What {@code X} takes. */
  private static final KernelSignature X = KernelSignature.entry("X")
      .threads("n", int.class, 256);

  /** What {@code x} takes. */
  private static final KernelSignature X_2 = KernelSignature.entry("x")
      .threads("n", int.class, 256);

  /** What {@code x} takes. */
  private static final KernelSignature X_3 = KernelSignature.entry("x")
      .threads("n", long.class, 256);

  /** What {@code reduceSum} takes. */
  private static final KernelSignature REDUCE_SUM = KernelSignature.entry("reduceSum")
      .threads("n", int.class, 256);

  /** What {@code REDUCE_SUM} takes. */
  private static final KernelSignature REDUCE_SUM_2 = KernelSignature.entry("REDUCE_SUM")
      .threads("n", int.class, 256);

  /** What {@code wait} takes. */
  private static final KernelSignature WAIT = KernelSignature.entry("wait")
      .value("n", float.class)
      .threads("threads", int.class, 256);

  /** Launches {@code image}. */
  private final dev.streamfence.launch.LaunchRecorder image2;

  /** Launches {@code recorder}. */
  private final dev.streamfence.launch.LaunchRecorder recorder4;

  /** Launches {@code stream}. */
  private final dev.streamfence.launch.LaunchRecorder stream2;

  /** Launches {@code module}. */
  private final dev.streamfence.launch.LaunchRecorder module2;

  /** Launches {@code on}. */
  private final dev.streamfence.launch.LaunchRecorder on;

  /** Launches {@code X}. */
  private final dev.streamfence.launch.LaunchRecorder X2;

  /** Launches {@code x}. */
  private final dev.streamfence.launch.LaunchRecorder x;

  /** Launches {@code x}. */
  private final dev.streamfence.launch.LaunchRecorder x2;

  /** Launches {@code reduceSum}. */
  private final dev.streamfence.launch.LaunchRecorder reduceSum;

  /** Launches {@code REDUCE_SUM}. */
  private final dev.streamfence.launch.LaunchRecorder REDUCE_SUM2;

  /** Launches {@code wait}. */
  private final dev.streamfence.launch.LaunchRecorder wait;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private AccessLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.image2 = module.recorder(IMAGE_2, Access.class, "image");
    this.recorder4 = module.recorder(RECORDER, Access.class, "recorder");
    this.stream2 = module.recorder(STREAM, Access.class, "stream");
    this.module2 = module.recorder(MODULE, Access.class, "module");
    this.on = module.recorder(ON, Access.class, "on");
    this.X2 = module.recorder(X, Access.class, "X");
    this.x = module.recorder(X_2, Access.class, "x");
    this.x2 = module.recorder(X_3, Access.class, "x");
    this.reduceSum = module.recorder(REDUCE_SUM, Access.class, "reduceSum");
    this.REDUCE_SUM2 = module.recorder(REDUCE_SUM_2, Access.class, "REDUCE_SUM");
    this.wait = module.recorder(WAIT, Access.class, "wait");
  }

  /**
   * The kernels of {@link Access}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static AccessLauncher on(DeviceStream stream) {
    return new AccessLauncher(stream);
  }

  /**
   * The module of {@link Access}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @java.lang.Override
  public void image(int stream, int module, int image, int IMAGE) {
    try (dev.streamfence.launch.LaunchRecorder recorder = image2.begin()) {
      recorder.value(stream).value(module).value(image).threads(IMAGE);
      recorder.preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void recorder(int recorder, int recorder2, LaunchShape record) {
    try (dev.streamfence.launch.LaunchRecorder recorder3 = recorder4.begin()) {
      recorder3.value(recorder).value(recorder2).shape(record).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void stream(DeviceArray<int[]> var, int $T) {
    try (dev.streamfence.launch.LaunchRecorder recorder = stream2.begin()) {
      recorder.array(var).threads($T).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void module(int this$0) {
    try (dev.streamfence.launch.LaunchRecorder recorder = module2.begin()) {
      recorder.threads(this$0).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void on(int n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = on.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void X(int n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = X2.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void x(int n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = x.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void x(long n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = x2.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void reduceSum(int n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = reduceSum.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void REDUCE_SUM(int n) {
    try (dev.streamfence.launch.LaunchRecorder recorder = REDUCE_SUM2.begin()) {
      recorder.threads(n).preflight().launch().commit();
    }
  }

  @java.lang.Override
  public void wait(float n, int threads) {
    try (dev.streamfence.launch.LaunchRecorder recorder = wait.begin()) {
      recorder.value(n).threads(threads).preflight().launch().commit();
    }
  }
}
