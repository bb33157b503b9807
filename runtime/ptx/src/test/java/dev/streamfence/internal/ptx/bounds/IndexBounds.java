package dev.streamfence.internal.ptx.bounds;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The bounds of a kernel that takes arrays first and numbers then, and what its launches may touch.
 *
 * @param arrays how many arrays it takes
 */
record IndexBounds(KernelBounds bounds, int arrays) {
  private static final String FOLDER = "/dev/streamfence/internal/ptx/access/";

  /** The bounds of a kernel that is compiled for release and for debugging, for either. */
  static List<IndexBounds> compiled(String kernel, int arrays, Map<Integer, NumberLimits> limits) {
    return List.of(
        of(read("indexes.ptx"), kernel, arrays, limits),
        of(read("indexes-debug.ptx"), kernel, arrays, limits));
  }

  static IndexBounds of(String ptx, String kernel, int arrays, Map<Integer, NumberLimits> limits) {
    PtxModule module = PtxModule.parse(ptx);
    List<ArrayPlace> places =
        IntStream.range(0, arrays).mapToObj(parameter -> new ArrayPlace(parameter, 0)).toList();
    KernelFlow flow = new KernelFlow(module, module.entry(kernel).orElseThrow());
    return new IndexBounds(KernelBounds.of(flow, places, List.of(), limits), arrays);
  }

  private static String read(String file) {
    try (InputStream in = IndexBounds.class.getResourceAsStream(FOLDER + file)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it is known before a launch which elements of an array it may touch at most. */
  boolean isLimited(int array) {
    return bounds.arrays().get(array).isLimited();
  }

  /** The bytes of an array that a launch may touch, {@code 0..400}; any if that is not known. */
  String touched(int array, Launch launch) {
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(
        new LaunchNumbers() {
          @Override
          public long argument(int argument) {
            int parameter = bounds.launches().arguments().get(argument).parameter();
            return launch.numbers().get(parameter - arrays);
          }

          @Override
          public long length(int of) {
            return launch.lengths().get(of);
          }

          @Override
          public int block(int dimension) {
            return dimension == 0 ? launch.threads() : 1;
          }

          @Override
          public int grid(int dimension) {
            return dimension == 0 ? launch.blocks() : 1;
          }
        });
    long begin = evaluator.mayBegin(array);
    long end = evaluator.mayEnd(array);
    return begin == Long.MIN_VALUE || end == Long.MAX_VALUE ? "any" : begin + ".." + end;
  }

  /** A launch with blocks in x. */
  record Launch(int blocks, int threads, List<Long> lengths, List<Long> numbers) {
    /** A launch, written {@code 4x256 lengths 1000 50 numbers 7}. */
    static Launch of(String text) {
      String[] parts = text.split(" lengths | numbers ");
      String[] shape = parts[0].split("x");
      return new Launch(
          Integer.parseInt(shape[0]),
          Integer.parseInt(shape[1]),
          longs(parts[1]),
          parts.length > 2 ? longs(parts[2]) : List.of());
    }

    private static List<Long> longs(String text) {
      return Arrays.stream(text.split(" ")).map(Long::valueOf).toList();
    }
  }
}
