package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link ReduceKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class ReduceKernelsLauncher implements ReduceKernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/reduce.ptx", ReduceKernelsLauncher.class::getResourceAsStream);

  /** What {@code sum} takes. */
  private static final KernelSignature SUM = KernelSignature.entry("reduce_sum")
      .reads("values", float[].class)
      .writes("sums", float[].class)
      .threads("n", int.class, 128)
      .dynamicSharedBytes(512);

  /** What {@code sum} takes. */
  private static final KernelSignature SUM_2 = KernelSignature.entry("reduce_sum_f64")
      .reads("values", double[].class)
      .writes("sums", double[].class)
      .threads("n", long.class, 256);

  /** What {@code scan} takes. */
  private static final KernelSignature SCAN = KernelSignature.entry("scan")
      .readWrites("values", int[].class)
      .threads("n", int.class, 256)
      .dynamicSharedBytes("shared")
      .dynamicSharedBytes(64);

  /** What {@code histogram} takes. */
  private static final KernelSignature HISTOGRAM = KernelSignature.entry("histogram")
      .shape("shape")
      .reads("bytes", byte[].class)
      .value("from", char.class)
      .value("bins", int.class);

  /** What {@code scale} takes. */
  private static final KernelSignature SCALE = KernelSignature.entry("scale")
      .readWrites("values", float[].class)
      .threads("n", int.class);

  /** What {@code transpose} takes. */
  private static final KernelSignature TRANSPOSE = KernelSignature.entry("transpose")
      .readWrites("values", float[].class)
      .shape("shape")
      .requiredBlock(16, 16, 1);

  /** What {@code fill} takes. */
  private static final KernelSignature FILL = KernelSignature.entry("fill")
      .value("p0", boolean.class)
      .value("p1", byte.class)
      .value("p2", char.class)
      .value("p3", short.class)
      .value("p4", int.class)
      .value("p5", long.class)
      .value("p6", float.class)
      .value("p7", double.class)
      .writes("a0", boolean[].class)
      .writes("a1", char[].class)
      .writes("a2", short[].class)
      .writes("a3", long[].class)
      .shape("shape");

  /** Launches {@code sum}. */
  private final LaunchRecorder sum;

  /** Launches {@code sum}. */
  private final LaunchRecorder sum2;

  /** Launches {@code scan}. */
  private final LaunchRecorder scan;

  /** Launches {@code histogram}. */
  private final LaunchRecorder histogram;

  /** Launches {@code scale}. */
  private final LaunchRecorder scale;

  /** Launches {@code transpose}. */
  private final LaunchRecorder transpose;

  /** Launches {@code fill}. */
  private final LaunchRecorder fill;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private ReduceKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.sum = module.recorder(SUM, ReduceKernels.class, "sum");
    this.sum2 = module.recorder(SUM_2, ReduceKernels.class, "sum");
    this.scan = module.recorder(SCAN, ReduceKernels.class, "scan");
    this.histogram = module.recorder(HISTOGRAM, ReduceKernels.class, "histogram");
    this.scale = module.recorder(SCALE, ReduceKernels.class, "scale");
    this.transpose = module.recorder(TRANSPOSE, ReduceKernels.class, "transpose");
    this.fill = module.recorder(FILL, ReduceKernels.class, "fill");
  }

  /**
   * The kernels of {@link ReduceKernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static ReduceKernelsLauncher on(DeviceStream stream) {
    return new ReduceKernelsLauncher(stream);
  }

  /**
   * The module of {@link ReduceKernels}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public void sum(DeviceArray<float[]> values, DeviceArray<float[]> sums, int n) {
    try (LaunchRecorder recorder = sum.begin()) {
      recorder.array(values).array(sums).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void sum(DeviceArray<double[]> values, DeviceArray<double[]> sums, long n) {
    try (LaunchRecorder recorder = sum2.begin()) {
      recorder.array(values).array(sums).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void scan(DeviceArray<int[]> values, int n, int shared) {
    try (LaunchRecorder recorder = scan.begin()) {
      recorder.array(values).threads(n).dynamicSharedBytes(shared).preflight().launch().commit();
    }
  }

  @Override
  public void histogram(LaunchShape shape, DeviceArray<byte[]> bytes, char from, int bins) {
    try (LaunchRecorder recorder = histogram.begin()) {
      recorder.shape(shape).array(bytes).value(from).value(bins).preflight().launch().commit();
    }
  }

  @Override
  public void scale(DeviceArray<float[]> values, int n) {
    try (LaunchRecorder recorder = scale.begin()) {
      recorder.array(values).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void transpose(DeviceArray<float[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = transpose.begin()) {
      recorder.array(values).shape(shape).preflight().launch().commit();
    }
  }

  @Override
  public void fill(boolean p0, byte p1, char p2, short p3, int p4, long p5, float p6, double p7,
      DeviceArray<boolean[]> a0, DeviceArray<char[]> a1, DeviceArray<short[]> a2,
      DeviceArray<long[]> a3, LaunchShape shape) {
    try (LaunchRecorder recorder = fill.begin()) {
      recorder.value(p0).value(p1).value(p2).value(p3).value(p4).value(p5).value(p6).value(p7);
      recorder.array(a0).array(a1).array(a2).array(a3).shape(shape);
      recorder.preflight().launch().commit();
    }
  }
}
