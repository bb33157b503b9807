package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link ShareKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
public final class ShareKernelsLauncher implements ShareKernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/share.ptx", ShareKernelsLauncher.class::getResourceAsStream)
          .symbol("dropped", int[].class);

  /** What {@code add} takes. */
  private static final KernelSignature ADD = KernelSignature.entry("add")
      .reads("a", float[].class)
      .reads("b", float[].class)
      .writes("sum", float[].class)
      .threads("n", int.class, 256);

  /** What {@code take} takes. */
  private static final KernelSignature TAKE = KernelSignature.entry("take")
      .reads("columns", float[][].class)
      .reads("rows", int[][].class)
      .reads("more", Object[].class)
      .writes("out", float[][].class)
      .threads("n", int.class, 256);

  /** What {@code sum} takes. */
  private static final KernelSignature SUM = KernelSignature.entry("sum")
      .struct(KernelSignature.fields("group")
          .reads("keys", int[].class)
          .readWrites("sums", long[].class)
          .value("size", int.class))
      .threads("n", int.class, 256);

  /** Launches {@code add}. */
  private final LaunchRecorder add;

  /** Launches {@code take}. */
  private final LaunchRecorder take;

  /** Launches {@code sum}. */
  private final LaunchRecorder sum2;

  /** What {@code dropped} returns. */
  private final ReadableArray<int[]> dropped;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private ShareKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.add = module.recorder(ADD, ShareKernels.class, "add");
    this.take = module.recorder(TAKE, ShareKernels.class, "take");
    this.sum2 = module.recorder(SUM, ShareKernels.class, "sum");
    this.dropped = module.symbol("dropped", int[].class);
  }

  /**
   * The kernels of {@link ShareKernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  public static ShareKernelsLauncher on(DeviceStream stream) {
    return new ShareKernelsLauncher(stream);
  }

  /**
   * The module of {@link ShareKernels}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  public static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public ReadableArray<int[]> dropped() {
    return dropped;
  }

  @Override
  public void add(ReadableArray<float[]> a, DeviceArray<float[]> b, DeviceArray<float[]> sum,
      int n) {
    try (LaunchRecorder recorder = add.begin()) {
      recorder.array(a).array(b).array(sum).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public void take(ReadableArray<float[]>[] columns, List<ReadableArray<int[]>> rows,
      List<? extends ReadableArray<?>> more, List<DeviceArray<float[]>> out, int n) {
    try (LaunchRecorder recorder = take.begin()) {
      recorder.table(columns).table(rows).table(more).table(out).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  @Override
  public void sum(ShareKernels.Group group, int n) {
    try (LaunchRecorder recorder = sum2.begin()) {
      recorder.struct(group).array(group.keys()).array(group.sums()).value(group.size());
      recorder.threads(n);
      recorder.preflight().launch().commit();
    }
  }
}
