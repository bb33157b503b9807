package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import java.util.List;
import javax.annotation.processing.Generated;

/** Launches the kernels of {@link OrderKernels} on one stream. */
@Generated("dev.streamfence.processor.KernelProcessor")
final class OrderKernelsLauncher implements OrderKernels {
  /** The module. */
  private static final KernelImage IMAGE =
      KernelImage.resource("kernels/orders.ptx", OrderKernelsLauncher.class::getResourceAsStream);

  /** What {@code price} takes. */
  private static final KernelSignature PRICE = KernelSignature.entry("price")
      .reads("quantity", int[].class)
      .reads("price", long[].class).optional()
      .readWrites("total", long[].class)
      .threads("n", int.class, 256);

  /** What {@code filter} takes. */
  private static final KernelSignature FILTER = KernelSignature.entry("filter")
      .struct(KernelSignature.fields("key")
          .reads("values", long[].class)
          .reads("validity", byte[].class).optional()
          .value("rows", long.class))
      .writes("selected", int[].class)
      .threads("n", int.class, 256);

  /** What {@code take} takes. */
  private static final KernelSignature TAKE = KernelSignature.entry("take")
      .reads("orders", Object[].class)
      .reads("more", Object[].class)
      .reads("rest", float[][].class)
      .writes("out", Object[].class)
      .threads("n", long.class, 256);

  /** What {@code convert} takes. */
  private static final KernelSignature CONVERT = KernelSignature.entry("convert")
      .struct(KernelSignature.fields("batch")
          .reads("from", Object[].class).trusted()
          .writes("to", int[][].class)
          .value("columns", int.class))
      .threads("n", int.class, 256);

  /** Launches {@code price}. */
  private final LaunchRecorder price2;

  /** Launches {@code filter}. */
  private final LaunchRecorder filter;

  /** Launches {@code take}. */
  private final LaunchRecorder take;

  /** Launches {@code convert}. */
  private final LaunchRecorder convert;

  /**
   * Prepares the launches.
   *
   * @param stream launches the kernels
   */
  private OrderKernelsLauncher(DeviceStream stream) {
    final LoadedModule module = module(stream);
    this.price2 = module.recorder(PRICE, OrderKernels.class, "price");
    this.filter = module.recorder(FILTER, OrderKernels.class, "filter");
    this.take = module.recorder(TAKE, OrderKernels.class, "take");
    this.convert = module.recorder(CONVERT, OrderKernels.class, "convert");
  }

  /**
   * The kernels of {@link OrderKernels}, launched on one stream.
   *
   * @param stream launches them
   * @return the launcher
   */
  static OrderKernelsLauncher on(DeviceStream stream) {
    return new OrderKernelsLauncher(stream);
  }

  /**
   * The module of {@link OrderKernels}, for the occupancy of its kernels and to unload it.
   *
   * @param stream a stream of the device
   * @return the module, which is loaded unless it is already
   */
  static LoadedModule module(DeviceStream stream) {
    return LoadedModule.of(stream, IMAGE);
  }

  @Override
  public void price(ReadableColumn<int[]> quantity, DeviceColumn<long[]> price,
      DeviceColumn<long[]> total, int n) {
    try (LaunchRecorder recorder = price2.begin()) {
      recorder.array(quantity).array(price).array(total).threads(n).preflight().launch().commit();
    }
  }

  @Override
  public Completion filter(OrderKernels.Nullable key, DeviceArray<int[]> selected, int n) {
    try (LaunchRecorder recorder = filter.begin()) {
      recorder.struct(key).array(key.values()).array(key.validity()).value(key.rows());
      recorder.array(selected).threads(n);
      return recorder.preflight().launch().commit().completion();
    }
  }

  @Override
  public void take(DeviceTable orders, ReadableColumn<?>[] more,
      List<? extends ReadableColumn<float[]>> rest, DeviceTable out, long n) {
    try (LaunchRecorder recorder = take.begin()) {
      recorder.table(orders).table(more).table(rest).table(out).threads(n);
      recorder.preflight().launch().commit();
    }
  }

  @Override
  public void convert(OrderKernels.Batch batch, int n) {
    try (LaunchRecorder recorder = convert.begin()) {
      recorder.struct(batch).table(batch.from()).table(batch.to()).value(batch.columns());
      recorder.threads(n);
      recorder.preflight().launch().commit();
    }
  }
}
