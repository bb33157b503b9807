package dev.streamfence.examples.e08_metrics;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeStatistics;
import dev.streamfence.StreamStatistics;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.trace.KernelTime;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Binds the figures of one runtime to meters. Reading a meter takes a snapshot of the figures and
 * makes no driver call, but for the times of kernels. Thread-safe.
 */
public final class RuntimeMeters implements MeterBinder {
  private final DeviceRuntime gpu;
  private final Tags tags;

  /**
   * Creates the binder.
   *
   * @param gpu a runtime, opened {@code withDeviceTimes} if the times of kernels are wanted
   */
  public RuntimeMeters(DeviceRuntime gpu) {
    this.gpu = gpu;
    // Not the name of the model, which the devices of a host have in common.
    this.tags = Tags.of("runtime", gpu.toString());
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(registry, "streamfence.launches", RuntimeStatistics::launches);
    counter(registry, "streamfence.launches.graphs", RuntimeStatistics::graphLaunches);
    counter(registry, "streamfence.launches.abandoned", RuntimeStatistics::abandonedLaunches);
    counter(registry, "streamfence.driver.calls", RuntimeStatistics::driverCalls);
    counter(registry, "streamfence.waits", RuntimeStatistics::waits);
    transferred(registry, "up", MemoryStatistics::uploadedBytes);
    transferred(registry, "down", MemoryStatistics::downloadedBytes);
    transferred(registry, "metadata", MemoryStatistics::metadataReadBytes);
    transferred(registry, "tables", MemoryStatistics::tableUploadedBytes);
    memory(registry, "live", MemoryStatistics::liveBytes);
    memory(registry, "pending", MemoryStatistics::pendingBytes);
    memory(registry, "promised", MemoryStatistics::promisedBytes);
    memory(registry, "peak", MemoryStatistics::peakBytes);
    memory(registry, "remaining", MemoryStatistics::remainingBytes);
    memory(registry, "pinned", MemoryStatistics::pinnedBytes);
    memory(registry, "host-pool", MemoryStatistics::hostPoolBytes);
    memory(registry, "adopted", MemoryStatistics::adoptedBytes);
    pressure(registry, "streamfence.memory.waits", PressureStatistics::waits);
    pressure(registry, "streamfence.memory.retries", PressureStatistics::retries);
    pressure(registry, "streamfence.memory.splits", PressureStatistics::splits);
    pressure(registry, "streamfence.memory.spills", figures -> figures.spilling().spills());
    objects(registry, "streams", statistics -> statistics.objects().streams());
    objects(registry, "events", statistics -> statistics.objects().events());
    objects(registry, "modules", statistics -> statistics.objects().modules());
    objects(registry, "host blocks", statistics -> statistics.objects().hostBlocks());
    objects(registry, "graphs", statistics -> statistics.objects().graphs());
  }

  /**
   * Publishes the figures that each stream, tag and kernel has of its own. To be called from time
   * to time, such as before a registry is scraped: streams, tags and kernels come and go.
   */
  public void publish(MeterRegistry registry) {
    RuntimeStatistics statistics = gpu.statistics();
    rows(
        registry,
        "streamfence.stream.submitted",
        statistics.streams().stream()
            .map(stream -> row("stream", stream.name(), stream.submitted())));
    rows(
        registry,
        "streamfence.stream.pending",
        statistics.streams().stream().map(stream -> row("stream", stream.name(), pending(stream))));
    rows(
        registry,
        "streamfence.memory.tag",
        gpu.memory().usageByTag().entrySet().stream()
            .map(usage -> row("tag", usage.getKey(), usage.getValue().bytes())));
    rows(
        registry,
        "streamfence.kernel.seconds",
        gpu.kernelTimes().stream().map(time -> row("kernel", time.kernel(), seconds(time))));
  }

  private static long pending(StreamStatistics stream) {
    return stream.submitted() - stream.completed();
  }

  private static double seconds(KernelTime time) {
    return time.total().toNanos() / 1e9;
  }

  private void rows(MeterRegistry registry, String name, Stream<MultiGauge.Row<?>> rows) {
    MultiGauge.builder(name).tags(tags).register(registry).register(rows.toList(), true);
  }

  private static MultiGauge.Row<?> row(String key, String value, Number number) {
    return MultiGauge.Row.of(Tags.of(Tag.of(key, value)), number);
  }

  private void counter(
      MeterRegistry registry, String name, ToDoubleFunction<RuntimeStatistics> figure) {
    FunctionCounter.builder(name, gpu, runtime -> figure.applyAsDouble(runtime.statistics()))
        .tags(tags)
        .register(registry);
  }

  private void transferred(
      MeterRegistry registry, String direction, ToDoubleFunction<MemoryStatistics> figure) {
    FunctionCounter.builder(
            "streamfence.transferred",
            gpu,
            runtime -> figure.applyAsDouble(runtime.memory().statistics()))
        .baseUnit("bytes")
        .tags(tags.and("direction", direction))
        .register(registry);
  }

  private void memory(
      MeterRegistry registry, String state, ToDoubleFunction<MemoryStatistics> figure) {
    Gauge.builder(
            "streamfence.memory",
            gpu,
            runtime -> figure.applyAsDouble(runtime.memory().statistics()))
        .baseUnit("bytes")
        .tags(tags.and("state", state))
        .register(registry);
  }

  private void pressure(
      MeterRegistry registry, String name, ToDoubleFunction<PressureStatistics> figure) {
    FunctionCounter.builder(name, gpu, runtime -> figure.applyAsDouble(runtime.memory().pressure()))
        .tags(tags)
        .register(registry);
  }

  private void objects(
      MeterRegistry registry, String kind, ToDoubleFunction<RuntimeStatistics> figure) {
    Gauge.builder(
            "streamfence.driver.objects",
            gpu,
            runtime -> figure.applyAsDouble(runtime.statistics()))
        .tags(tags.and("kind", kind))
        .register(registry);
  }
}
