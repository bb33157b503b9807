package dev.streamfence.internal.launch;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;

/** The kernels of {@code kernels/nullable.cu}, launched as generated code would. Thread-safe. */
public final class NullableKernels {
  static final KernelImage IMAGE =
      KernelImage.resource("kernels/nullable.ptx", NullableKernels.class::getResourceAsStream);

  static final KernelSignature OR_ELSE =
      KernelSignature.entry("orElse")
          .struct(
              KernelSignature.fields("column")
                  .reads("values", int[].class)
                  .reads("validity", byte[].class)
                  .value("rows", long.class))
          .value("other", int.class)
          .writes("out", int[].class)
          .threads("n", int.class, 256);

  static final KernelSignature SUM_ROWS =
      KernelSignature.entry("sumRows")
          .reads("columns", Object[].class)
          .value("columnCount", int.class)
          .writes("sums", long[].class)
          .threads("n", int.class, 256);

  private final LaunchRecorder orElse;
  private final LaunchRecorder sumRows;

  private NullableKernels(DeviceStream stream) {
    LoadedModule module = LoadedModule.of(stream, IMAGE);
    orElse = module.recorder(OR_ELSE);
    sumRows = module.recorder(SUM_ROWS);
  }

  public static NullableKernels on(DeviceStream stream) {
    return new NullableKernels(stream);
  }

  public void orElse(
      ReadableColumn<int[]> column, long rows, int other, DeviceColumn<int[]> out, int n) {
    try (LaunchRecorder recorder = orElse.begin()) {
      recorder.struct(this).array(column).array(column.validity()).value(rows);
      recorder.value(other).array(out).threads(n).preflight().launch().commit();
    }
  }

  public void sumRows(List<? extends ReadableColumn<?>> columns, DeviceColumn<long[]> sums, int n) {
    try (LaunchRecorder recorder = sumRows.begin()) {
      recorder.table(columns).value(columns.size()).array(sums).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  public void sumRows(ReadableColumn<?>[] columns, DeviceColumn<long[]> sums, int n) {
    try (LaunchRecorder recorder = sumRows.begin()) {
      recorder.table(columns).value(columns.length).array(sums).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  public void sumRows(DeviceTable columns, DeviceColumn<long[]> sums, int n) {
    try (LaunchRecorder recorder = sumRows.begin()) {
      recorder.table(columns).value(2).array(sums).threads(n);
      recorder.preflight().launch().commit();
    }
  }
}
