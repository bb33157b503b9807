package dev.streamfence.internal.device;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The kernels of {@code kernels/vector.cu} and {@code kernels/tables.cu} that the failure matrix
 * launches.
 */
enum FailureKernel {
  INCREMENT(
      KernelSignature.entry("increment")
          .readWrites("values", int[].class)
          .threads("n", int.class, 256)),
  ADD(
      KernelSignature.entry("add")
          .reads("a", int[].class)
          .reads("b", int[].class)
          .writes("sum", int[].class)
          .threads("n", int.class, 256)),
  REVERSE(KernelSignature.entry("reverse").readWrites("values", int[].class).shape("shape")),
  TOGETHER(
      KernelSignature.entry("increment")
          .readWrites("values", int[].class)
          .threads("n", int.class, 256)
          .cooperative()),
  INCREMENT_FOR_PEERS(
      KernelSignature.entry("increment")
          .readWrites("values", int[].class)
          .peer()
          .threads("n", int.class, 256)),
  BUMP(
      KernelSignature.entry("bump")
          .readWrites("columns", int[][].class)
          .value("columnCount", int.class)
          .threads("n", int.class, 256));

  /** One image, which every runtime loads anew. */
  static final KernelImage IMAGE = imageOfKernels();

  private final KernelSignature signature;

  FailureKernel(KernelSignature signature) {
    this.signature = signature;
  }

  /** Only the kernels named here: the image is loaded thousands of times. */
  private static KernelImage imageOfKernels() {
    List<String> parts = new ArrayList<>(entries("vector"));
    StringBuilder kept = new StringBuilder(parts.get(0));
    parts.addAll(entries("tables"));
    for (String part : parts) {
      for (FailureKernel kernel : values()) {
        if (part.startsWith(".visible .entry " + kernel.name().toLowerCase(Locale.ROOT) + "(")) {
          kept.append(part);
        }
      }
    }
    return KernelImage.of("vector.ptx", kept.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** The head of a module, and each of its entries. */
  private static List<String> entries(String module) {
    String name = "/kernels/" + module + ".ptx";
    try (InputStream resource =
        Objects.requireNonNull(VectorKernels.class.getResourceAsStream(name))) {
      String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
      return List.of(text.split("(?=\\.visible \\.entry )"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  KernelSignature signature() {
    return signature;
  }

  static void increment(LaunchRecorder increment, DeviceArray<int[]> values) {
    increment(increment, values, () -> {});
  }

  /** Launches, and runs an action between preflight and launch. */
  static void increment(LaunchRecorder increment, DeviceArray<int[]> values, Runnable between) {
    try (LaunchRecorder recorder = increment.begin()) {
      prepare(recorder, values);
      between.run();
      recorder.launch().commit();
    }
  }

  /** Begins a launch and passes everything. */
  static void prepare(LaunchRecorder recorder, DeviceArray<int[]> values) {
    int length = (int) values.length();
    recorder.array(values).threads(length).preflight();
  }

  static void add(
      LaunchRecorder add, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    try (LaunchRecorder recorder = add.begin()) {
      prepare(recorder, a, b, sum);
      recorder.launch().commit();
    }
  }

  /** Launches, and returns the completion. */
  static Completion completionOfAdd(
      LaunchRecorder add, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    try (LaunchRecorder recorder = add.begin()) {
      prepare(recorder, a, b, sum);
      recorder.launch().commit();
      return recorder.completion();
    }
  }

  private static void prepare(
      LaunchRecorder recorder, DeviceArray<int[]> a, DeviceArray<int[]> b, DeviceArray<int[]> sum) {
    int length = (int) sum.length();
    recorder.array(a).array(b).array(sum).threads(length).preflight();
  }

  static void bump(LaunchRecorder bump, List<DeviceArray<int[]>> columns, int n) {
    try (LaunchRecorder recorder = bump.begin()) {
      recorder.table(columns).value(columns.size()).threads(n).preflight().launch().commit();
    }
  }

  static void reverse(LaunchRecorder reverse, DeviceArray<int[]> values, LaunchShape shape) {
    try (LaunchRecorder recorder = reverse.begin()) {
      recorder.array(values).shape(shape).preflight().launch().commit();
    }
  }
}
