package dev.streamfence.internal.launch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;

/** The kernels of {@code kernels/tables.cu}, launched as generated code would. Thread-safe. */
public final class TableKernels {
  static final KernelImage IMAGE =
      KernelImage.resource("kernels/tables.ptx", TableKernels.class::getResourceAsStream);

  static final KernelSignature TAKE =
      KernelSignature.entry("take")
          .reads("columns", float[][].class)
          .reads("rows", int[].class)
          .writes("out", float[][].class)
          .value("columnCount", int.class)
          .threads("n", int.class, 256);

  static final KernelSignature FIRST_BYTES =
      KernelSignature.entry("firstBytes")
          .reads("columns", Object[].class)
          .writes("sums", long[].class)
          .threads("n", int.class, 256);

  static final KernelSignature BUMP =
      KernelSignature.entry("bump")
          .readWrites("columns", int[][].class)
          .value("columnCount", int.class)
          .threads("n", int.class, 256);

  static final KernelSignature VALID =
      KernelSignature.entry("valid")
          .struct(
              KernelSignature.fields("column")
                  .reads("values", int[].class)
                  .reads("validity", byte[].class)
                  .value("rows", long.class))
          .writes("selected", int[].class)
          .threads("n", int.class, 256);

  static final KernelSignature SCALE_ALL =
      KernelSignature.entry("scaleAll")
          .struct(
              KernelSignature.fields("batch")
                  .value("scale", float.class)
                  .readWrites("columns", float[][].class)
                  .value("columnCount", int.class))
          .threads("n", int.class, 256);

  private static final KernelSignature BUMP_FOR_PEERS =
      KernelSignature.entry("bump")
          .readWrites("columns", int[][].class)
          .peer()
          .value("columnCount", int.class)
          .threads("n", int.class, 256);

  private static final KernelSignature SCALE_ALL_FOR_PEERS =
      KernelSignature.entry("scaleAll")
          .struct(
              KernelSignature.fields("batch")
                  .value("scale", float.class)
                  .readWrites("columns", float[][].class)
                  .peer()
                  .value("columnCount", int.class))
          .threads("n", int.class, 256);

  private final LaunchRecorder take;
  private final LaunchRecorder firstBytes;
  private final LaunchRecorder bump;
  private final LaunchRecorder valid;
  private final LaunchRecorder scaleAll;

  private TableKernels(DeviceStream stream, KernelSignature bumps, KernelSignature scales) {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    take = module.recorder(TAKE);
    firstBytes = module.recorder(FIRST_BYTES);
    bump = module.recorder(bumps);
    valid = module.recorder(VALID);
    scaleAll = module.recorder(scales);
  }

  public static TableKernels on(DeviceStream stream) {
    return new TableKernels(stream, BUMP, SCALE_ALL);
  }

  /** The same, whose {@code bump} and {@code scaleAll} also take arrays of other devices. */
  public static TableKernels forPeersOn(DeviceStream stream) {
    return new TableKernels(stream, BUMP_FOR_PEERS, SCALE_ALL_FOR_PEERS);
  }

  public void take(
      List<? extends ReadableArray<float[]>> columns,
      ReadableArray<int[]> rows,
      List<DeviceArray<float[]>> out,
      int n) {
    try (LaunchRecorder recorder = take.begin()) {
      recorder.table(columns).array(rows).table(out).value(columns.size()).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  public void firstBytes(ReadableArray<?>[] columns, DeviceArray<long[]> sums) {
    try (LaunchRecorder recorder = firstBytes.begin()) {
      recorder.table(columns).array(sums).threads(columns.length).preflight().launch().commit();
    }
  }

  public void bump(List<? extends ReadableArray<?>> columns, int n) {
    try (LaunchRecorder recorder = bump.begin()) {
      recorder.table(columns).value(columns.size()).threads(n).preflight().launch().commit();
    }
  }

  void valid(
      DeviceArray<int[]> values,
      DeviceArray<byte[]> validity,
      long rows,
      DeviceArray<int[]> selected,
      int n) {
    try (LaunchRecorder recorder = valid.begin()) {
      recorder.struct(this).array(values).array(validity).value(rows).array(selected).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  public void scaleAll(float scale, List<DeviceArray<float[]>> columns, int n) {
    try (LaunchRecorder recorder = scaleAll.begin()) {
      recorder.struct(this).value(scale).table(columns).value(columns.size()).threads(n);
      recorder.preflight().launch().commit();
    }
  }
}
