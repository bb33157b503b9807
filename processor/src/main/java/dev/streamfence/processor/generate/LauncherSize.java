package dev.streamfence.processor.generate;

import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.RecordType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Estimates whether a launcher fits into the limits of methods and classes. Stateless. */
public final class LauncherSize {
  /**
   * Bytes of code that one method can hold, with a margin. The initialiser of a part's signatures
   * is the longest method; it needs fewer entries of the constant pool than bytes.
   */
  private static final int MAX_INITIALIZER = 60_000;

  /** Entries that the constant pool of a class can hold, with a margin. */
  private static final int MAX_CONSTANTS = 60_000;

  /** The name and the type of a method, and the field with its recorder. */
  private static final int CONSTANTS_PER_KERNEL = 6;

  /**
   * Load the entry, start, set shared bytes, aliases, cooperation, the required block and the
   * analysis, store: by wide indexes.
   */
  private static final int PER_KERNEL = 39;

  /** Load name, type and block size, or an array's name and type, and call one or two methods. */
  private static final int PER_PARAMETER = 12;

  /** Like a parameter. */
  private static final int PER_FIELD = PER_PARAMETER;

  /** Begin, preflight, launch, commit, and the ends of the try. */
  private static final int PER_LAUNCH = 90;

  /** Load the record, call its accessor and the recorder; in a new line also drop and load that. */
  private static final int PER_FIELD_OF_LAUNCH = 13;

  /** The variables of an image are declared within the margin of its initialiser. */
  private static final int MAX_SYMBOLS = 300;

  private LauncherSize() {}

  /** Whether the method that launches a kernel stays within the Java compiler's limit. */
  public static boolean fits(KernelMethod kernel) {
    long size = PER_LAUNCH + (long) PER_PARAMETER * kernel.parameters().size();
    return size + (long) PER_FIELD_OF_LAUNCH * fields(kernel) <= MAX_INITIALIZER;
  }

  /** Whether the methods of all kernels fit into one class, as an implementation requires. */
  public static boolean fits(KernelInterface source) {
    if (source.symbols().size() > MAX_SYMBOLS) {
      return false;
    }
    Set<String> names = new HashSet<>();
    for (KernelMethod kernel : source.kernels()) {
      kernel.parameters().forEach(parameter -> names.add(parameter.name()));
      for (RecordType type : kernel.records().values()) {
        type.components().forEach(each -> names.add(type.name() + "." + each));
      }
    }
    return (long) CONSTANTS_PER_KERNEL * source.kernels().size() + 4L * names.size()
        <= MAX_CONSTANTS;
  }

  /** What an interface that does not fit has too many of. */
  public static String inWords(KernelInterface source) {
    int symbols = source.symbols().size();
    return symbols > MAX_SYMBOLS ? symbols + " symbols" : source.kernels().size() + " kernels";
  }

  /** Splits the kernels, in order, into parts whose signatures one class can initialise. */
  static List<List<KernelMethod>> parts(List<KernelMethod> kernels) {
    List<List<KernelMethod>> parts = new ArrayList<>();
    long left = 0;
    for (KernelMethod kernel : kernels) {
      long size =
          PER_KERNEL
              + (long) PER_PARAMETER * kernel.parameters().size()
              + (long) PER_FIELD * fields(kernel);
      if (size > left) {
        parts.add(new ArrayList<>());
        left = MAX_INITIALIZER;
      }
      left -= size;
      parts.get(parts.size() - 1).add(kernel);
    }
    return parts;
  }

  private static long fields(KernelMethod kernel) {
    return kernel.records().values().stream().mapToLong(type -> type.components().size()).sum();
  }
}
