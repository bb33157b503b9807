package demo;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link ReduceKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class ReduceKernelsLauncher implements ReduceKernels {
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/reduce.ptx", ReduceKernelsLauncher.class::getResourceAsStream);

  private static final KernelSignature SUM =
      KernelSignature.entry("reduce_sum")
          .buffer("values", ElementType.FLOAT, Access.READ)
          .buffer("sums", ElementType.FLOAT, Access.WRITE)
          .threadCount("n", int.class)
          .blockSize(128)
          .dynamicSharedBytes(512)
          .build();

  private static final KernelSignature SUM_2 =
      KernelSignature.entry("reduce_sum_f64")
          .buffer("values", ElementType.DOUBLE, Access.READ)
          .buffer("sums", ElementType.DOUBLE, Access.WRITE)
          .threadCount("n", long.class)
          .blockSize(256)
          .build();

  private static final KernelSignature SCAN =
      KernelSignature.entry("scan")
          .buffer("values", ElementType.INT, Access.READ_WRITE)
          .threadCount("n", int.class)
          .dynamicSharedBytesParameter("shared")
          .blockSize(256)
          .build();

  private static final KernelSignature HISTOGRAM =
      KernelSignature.entry("histogram")
          .launchShape("shape")
          .buffer("bytes", ElementType.BYTE, Access.READ)
          .value("from", char.class)
          .value("bins", int.class)
          .build();

  private static final KernelSignature FILL =
      KernelSignature.entry("fill")
          .value("p0", boolean.class)
          .value("p1", byte.class)
          .value("p2", char.class)
          .value("p3", short.class)
          .value("p4", int.class)
          .value("p5", long.class)
          .value("p6", float.class)
          .value("p7", double.class)
          .buffer("a0", ElementType.BOOLEAN, Access.WRITE)
          .buffer("a1", ElementType.CHAR, Access.WRITE)
          .buffer("a2", ElementType.SHORT, Access.WRITE)
          .buffer("a3", ElementType.LONG, Access.WRITE)
          .launchShape("shape")
          .build();

  private final LaunchRecorder sum;

  private final LaunchRecorder sum2;

  private final LaunchRecorder scan;

  private final LaunchRecorder histogram;

  private final LaunchRecorder fill;

  private ReduceKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = LoadedModule.of(stream, IMAGE);
    this.sum = module.recorder(SUM);
    this.sum2 = module.recorder(SUM_2);
    this.scan = module.recorder(SCAN);
    this.histogram = module.recorder(HISTOGRAM);
    this.fill = module.recorder(FILL);
  }

  /** Returns the kernels of {@link ReduceKernels}, launched on {@code stream}. */
  public static ReduceKernelsLauncher on(DeviceStream stream) {
    return new ReduceKernelsLauncher(stream);
  }

  @Override
  public void sum(DeviceArray<float[]> values, DeviceArray<float[]> sums, int n) {
    try (LaunchRecorder recorder = sum.begin()) {
      recorder.reads(0, values);
      recorder.writes(1, sums);
      recorder.value(2, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void sum(DeviceArray<double[]> values, DeviceArray<double[]> sums, long n) {
    try (LaunchRecorder recorder = sum2.begin()) {
      recorder.reads(0, values);
      recorder.writes(1, sums);
      recorder.value(2, n);
      recorder.threads(n);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void scan(DeviceArray<int[]> values, int n, int shared) {
    try (LaunchRecorder recorder = scan.begin()) {
      recorder.readWrites(0, values);
      recorder.value(1, n);
      recorder.threads(n);
      recorder.dynamicSharedBytes(shared);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void histogram(LaunchShape shape, DeviceArray<byte[]> bytes, char from, int bins) {
    try (LaunchRecorder recorder = histogram.begin()) {
      recorder.reads(0, bytes);
      recorder.value(1, from);
      recorder.value(2, bins);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }

  @Override
  public void fill(boolean p0, byte p1, char p2, short p3, int p4, long p5, float p6, double p7,
      DeviceArray<boolean[]> a0, DeviceArray<char[]> a1, DeviceArray<short[]> a2,
      DeviceArray<long[]> a3, LaunchShape shape) {
    try (LaunchRecorder recorder = fill.begin()) {
      recorder.value(0, p0);
      recorder.value(1, p1);
      recorder.value(2, p2);
      recorder.value(3, p3);
      recorder.value(4, p4);
      recorder.value(5, p5);
      recorder.value(6, p6);
      recorder.value(7, p7);
      recorder.writes(8, a0);
      recorder.writes(9, a1);
      recorder.writes(10, a2);
      recorder.writes(11, a3);
      recorder.shape(shape);
      recorder.preflight();
      recorder.launch();
      recorder.commit();
    }
  }
}
