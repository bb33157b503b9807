// Long because each part of a declaration has its own step, and each step its own contract.
package dev.streamfence.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An interface's declaration of one kernel: its entry point, its parameters in order with their
 * access, and the shape of its launches. {@link #entry} starts a signature, and each other method
 * returns the signature with one addition. The fields of a structure are described in the same way.
 * A launch passes the parameters in the same order; exactly one of them says how many threads run.
 * A parameter without a name is named by its position, from {@code #0} on. Immutable; two
 * signatures with the same content are equal, and a runtime loads their kernel once.
 */
public final class KernelSignature {
  /** The most names in one error; a kernel has up to a thousand parameters. */
  private static final int MAX_NAMED = 8;

  private final String entry;
  private final List<KernelParameter> parameters;
  private final int dynamicSharedBytes;
  private final boolean aliasing;
  private final boolean cooperative;
  private final @Nullable BlockShape requiredBlock;
  private final boolean boundsRequired;

  /** Not part of the declaration: {@link #equals} ignores it. */
  private final String analysis;

  private KernelSignature(KernelSignature other, String analysis) {
    this.entry = other.entry;
    this.parameters = other.parameters;
    this.dynamicSharedBytes = other.dynamicSharedBytes;
    this.aliasing = other.aliasing;
    this.cooperative = other.cooperative;
    this.requiredBlock = other.requiredBlock;
    this.boundsRequired = other.boundsRequired;
    this.analysis = analysis;
  }

  private KernelSignature(
      String entry,
      List<KernelParameter> parameters,
      int dynamicSharedBytes,
      boolean aliasing,
      boolean cooperative,
      @Nullable BlockShape requiredBlock,
      boolean boundsRequired) {
    this.entry = entry;
    this.parameters = List.copyOf(parameters);
    this.dynamicSharedBytes = dynamicSharedBytes;
    this.aliasing = aliasing;
    this.cooperative = cooperative;
    this.requiredBlock = requiredBlock;
    this.boundsRequired = boundsRequired;
    this.analysis = "";
  }

  /** The signature of the kernel with the given entry point, as yet without parameters. */
  public static KernelSignature entry(String entry) {
    Objects.requireNonNull(entry, "entry");
    return new KernelSignature(entry, List.of(), 0, false, false, null, false);
  }

  /** The structure with the given name, as yet without fields, to be added by {@link #struct}. */
  public static KernelSignature fields(String name) {
    Objects.requireNonNull(name, "name");
    return entry(name);
  }

  /**
   * Adds a number by value; {@code type} is the class of a primitive.
   *
   * @throws IllegalArgumentException if it is another class
   */
  public KernelSignature value(String name, Class<?> type) {
    return with(new KernelParameter.Value(named(name), primitive(name, type)));
  }

  /**
   * Adds an array that the kernel reads, or a table of such arrays.
   *
   * @param type see {@link KernelParameter#tracked}: {@code float[].class} for an array, {@code
   *     float[][].class} for a table of arrays
   * @throws IllegalArgumentException if {@code type} is not an array
   */
  public KernelSignature reads(String name, Class<?> type) {
    return array(name, type, Access.READ);
  }

  /**
   * Adds an array that the kernel overwrites, or a table of such arrays.
   *
   * @param type see {@link KernelParameter#tracked}: {@code float[].class} for an array, {@code
   *     float[][].class} for a table of arrays
   * @throws IllegalArgumentException if {@code type} is not an array
   */
  public KernelSignature writes(String name, Class<?> type) {
    return array(name, type, Access.WRITE);
  }

  /**
   * Adds an array that the kernel reads and writes, or a table of such arrays.
   *
   * @param type see {@link KernelParameter#tracked}: {@code float[].class} for an array, {@code
   *     float[][].class} for a table of arrays
   * @throws IllegalArgumentException if {@code type} is not an array
   */
  public KernelSignature readWrites(String name, Class<?> type) {
    return array(name, type, Access.READ_WRITE);
  }

  /**
   * Trusts the declared access of the array or table that was added last, where the kernel's code
   * leaves it unclear.
   *
   * @throws IllegalArgumentException if the last addition was neither
   */
  public KernelSignature trusted() {
    if (last() instanceof KernelParameter.Tracked last) {
      return withLast(last.asTrusted());
    }
    throw new IllegalArgumentException(entry + ": trusted() follows no array");
  }

  /**
   * Lets a launch pass {@code null} for the array that was added last: the kernel then receives the
   * address 0, as it does for an array without elements.
   *
   * @throws IllegalArgumentException if the last addition was not an array, but for example a table
   */
  public KernelSignature optional() {
    if (last() instanceof KernelParameter.Array last) {
      return withLast(last.asOptional());
    }
    throw new IllegalArgumentException(entry + ": optional() follows no array");
  }

  /**
   * Declares that no two elements that a launch loads from the array that was added last are equal.
   *
   * @throws IllegalArgumentException if the last addition was not an array of whole numbers that is
   *     only read
   */
  public KernelSignature distinct() {
    if (last() instanceof KernelParameter.Array last) {
      return withLast(last.asDistinct());
    }
    throw new IllegalArgumentException(entry + ": distinct() follows no array");
  }

  /**
   * Declares that each element that a launch loads from the array that was added last is at least
   * 0, and less than a limit.
   *
   * @param limit see {@link ElementLimit#parameter}
   * @throws IllegalArgumentException if the last addition was not an array of whole numbers that is
   *     only read
   */
  public KernelSignature below(String limit) {
    return limited(new ElementLimit(limit, true), "below");
  }

  /**
   * Declares that each element that a launch loads from the array that was added last is at least
   * 0, and not greater than a limit.
   *
   * @param limit see {@link ElementLimit#parameter}
   * @throws IllegalArgumentException if the last addition was not an array of whole numbers that is
   *     only read
   */
  public KernelSignature atMost(String limit) {
    return limited(new ElementLimit(limit, false), "atMost");
  }

  /**
   * Declares that the elements that have limits, see {@link #below} and {@link #atMost}, begin at
   * another number than 0.
   *
   * @param number the least of them, such as -1 where that stands for none
   * @throws IllegalArgumentException if the last addition was not an array with such a limit
   */
  public KernelSignature least(long number) {
    if (last() instanceof KernelParameter.Array last && !last.limits().isEmpty()) {
      return withLast(last.from(number));
    }
    throw new IllegalArgumentException(
        entry + ": least(..) follows no limit; declare one with below(..) or atMost(..)");
  }

  private KernelSignature limited(ElementLimit limit, String step) {
    if (last() instanceof KernelParameter.Array last) {
      return withLast(last.limited(limit));
    }
    throw new IllegalArgumentException(entry + ": " + step + "(..) follows no array");
  }

  /**
   * Lets a launch pass arrays of other devices, to whose memory its device has peer access, for the
   * array or table that was added last.
   *
   * @throws IllegalArgumentException if the last addition was neither
   */
  public KernelSignature peer() {
    if (last() instanceof KernelParameter.Tracked last) {
      return withLast(last.asPeer());
    }
    throw new IllegalArgumentException(entry + ": peer() follows no array");
  }

  private @Nullable KernelParameter last() {
    return parameters.isEmpty() ? null : parameters.get(parameters.size() - 1);
  }

  private KernelSignature withLast(KernelParameter last) {
    List<KernelParameter> changed = new ArrayList<>(parameters);
    changed.set(changed.size() - 1, last);
    return new KernelSignature(
        entry, changed, dynamicSharedBytes, aliasing, cooperative, requiredBlock, boundsRequired);
  }

  /**
   * Adds a structure of numbers by value; {@code fields} are the classes of primitives, in order.
   *
   * @throws IllegalArgumentException if one of them is another class, or there are none or more
   *     than {@value StructLayout#MAX_FIELDS}
   */
  public KernelSignature struct(String name, Class<?>... fields) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(fields, "fields");
    KernelSignature all = fields(name);
    for (Class<?> field : fields) {
      all = all.value("", field);
    }
    return struct(all);
  }

  /**
   * Adds a structure by value.
   *
   * @param fields its name and its fields, see {@link #fields}
   * @throws IllegalArgumentException if a field is not a number, an array or a table, or if it has
   *     no fields or more than {@value StructLayout#MAX_FIELDS}
   */
  public KernelSignature struct(KernelSignature fields) {
    Objects.requireNonNull(fields, "fields");
    List<KernelParameter.Field> all = new ArrayList<>();
    for (KernelParameter parameter : fields.parameters) {
      if (!(parameter instanceof KernelParameter.Field field)) {
        throw new IllegalArgumentException(
            use(fields.entry + "." + parameter.name())
                + " is "
                + parameter.inWords()
                + ", which no structure holds");
      }
      all.add(field);
    }
    return with(new KernelParameter.Struct(named(fields.entry), all));
  }

  /**
   * Adds an {@code int} or {@code long} by value that also sets the number of threads of a launch.
   *
   * @param blockSize threads per block, at least 1
   * @throws IllegalArgumentException if {@code type} is another class, or {@code blockSize} is less
   *     than 1
   */
  public KernelSignature threads(String name, Class<?> type, int blockSize) {
    return with(new KernelParameter.Threads(named(name), primitive(name, type), blockSize));
  }

  /**
   * Adds an {@code int} or {@code long} by value that also sets the number of threads of a launch.
   * The driver chooses the threads per block when the kernel is loaded: the number with which the
   * most threads run at the same time, with the signature's dynamic shared memory.
   *
   * @throws IllegalArgumentException if {@code type} is another class
   */
  public KernelSignature threads(String name, Class<?> type) {
    return threads(name, type, KernelParameter.Threads.AUTO);
  }

  /** Adds the parameter that shapes launches; the kernel does not receive it. */
  public KernelSignature shape(String name) {
    Objects.requireNonNull(name, "name");
    return with(new KernelParameter.Shape(name.isBlank() ? "shape" : name));
  }

  /**
   * Adds the parameter that sets the dynamic shared memory per block of a launch, in bytes; the
   * kernel does not receive it.
   */
  public KernelSignature dynamicSharedBytes(String name) {
    Objects.requireNonNull(name, "name");
    return with(new KernelParameter.SharedBytes(name.isBlank() ? "dynamicSharedBytes" : name));
  }

  /**
   * Sets the dynamic shared memory per block of launches for which no parameter sets it; 0 by
   * default.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public KernelSignature dynamicSharedBytes(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          entry + ": " + bytes + " bytes of dynamic shared memory; the size is at least 0");
    }
    return new KernelSignature(
        entry, parameters, bytes, aliasing, cooperative, requiredBlock, boundsRequired);
  }

  /** Allows one array to be passed for two parameters, one of them written. */
  public KernelSignature mayAlias() {
    return new KernelSignature(
        entry, parameters, dynamicSharedBytes, true, cooperative, requiredBlock, boundsRequired);
  }

  /** Launches all blocks at the same time, so that they may wait for each other. */
  public KernelSignature cooperative() {
    return new KernelSignature(
        entry, parameters, dynamicSharedBytes, aliasing, true, requiredBlock, boundsRequired);
  }

  /**
   * Requires this block of every launch, because the kernel's code is written for it.
   *
   * @throws IllegalArgumentException if a size is less than 1
   */
  public KernelSignature requiredBlock(int x, int y, int z) {
    BlockShape block = new BlockShape(x, y, z);
    return new KernelSignature(
        entry, parameters, dynamicSharedBytes, aliasing, cooperative, block, boundsRequired);
  }

  /**
   * Requires that every launch provably stays in its arrays. A kernel whose code does not limit
   * what it touches is refused when it is loaded, and a launch that may leave an array is refused
   * with both numbers.
   */
  public KernelSignature boundsRequired() {
    return new KernelSignature(
        entry, parameters, dynamicSharedBytes, aliasing, cooperative, requiredBlock, true);
  }

  /**
   * Adds what the processor has found out about the kernel's code, so that a program need not
   * analyse the code again when it starts. It is the last step of a launcher's signature: every
   * other step drops it. It is used for PTX with the hash that the image names; a text from another
   * version of Streamfence is ignored.
   */
  public KernelSignature analysed(String analysis) {
    return new KernelSignature(this, Objects.requireNonNull(analysis, "analysis"));
  }

  /** The text that {@link #analysed} has added; empty if none. */
  public String analysis() {
    return analysis;
  }

  /** The name of the entry point. */
  public String entry() {
    return entry;
  }

  /** All parameters, in the order of the interface. */
  public List<KernelParameter> parameters() {
    return parameters;
  }

  /** All parameters, in the order of the interface, a structure followed by its fields. */
  public List<PlacedParameter> placed() {
    List<PlacedParameter> placed = new ArrayList<>();
    int passed = 0;
    for (int index = 0; index < parameters.size(); index++) {
      KernelParameter parameter = parameters.get(index);
      placed.add(new PlacedParameter(index, parameter.name(), parameter, passed, 0));
      if (parameter instanceof KernelParameter.Struct struct) {
        StructLayout layout = struct.layout();
        for (int i = 0; i < struct.fields().size(); i++) {
          KernelParameter.Field field = struct.fields().get(i);
          int offset = layout.offset(i);
          placed.add(new PlacedParameter(index, struct.name(field), field, passed, offset));
        }
      }
      passed += parameter instanceof KernelParameter.Passed ? 1 : 0;
    }
    return placed;
  }

  /**
   * The array or the whole number that limits the elements of an array; empty if the limit names
   * none.
   *
   * @param array one of {@link #placed}
   * @param limit one of its limits
   */
  public Optional<PlacedParameter> limiting(PlacedParameter array, ElementLimit limit) {
    Objects.requireNonNull(array, "array");
    Objects.requireNonNull(limit, "limit");
    String field = array.beside(limit.parameter());
    List<PlacedParameter> named =
        placed().stream()
            .filter(each -> each.name().equals(field) || each.name().equals(limit.parameter()))
            .toList();
    return named.stream()
        .filter(each -> named.size() == 1 || each.name().equals(field))
        .filter(each -> canLimit(each.parameter()))
        .findFirst();
  }

  /** Whether a parameter can limit the elements of an array: it has a length, or is a number. */
  private static boolean canLimit(KernelParameter parameter) {
    return parameter instanceof KernelParameter.Array
        || parameter instanceof KernelParameter.Threads
        || (parameter instanceof KernelParameter.Value value
            && KernelParameter.Array.areWhole(value.type()));
  }

  /**
   * What can limit the elements of arrays, in words for errors: {@code 'x', 'rows.begins', 'n'}.
   */
  public String limitsInWords() {
    List<String> names =
        placed().stream()
            .filter(each -> canLimit(each.parameter()))
            .map(each -> "'" + each.name() + "'")
            .toList();
    String first = names.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    int more = names.size() - MAX_NAMED;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  /** The parameters that the kernel receives, in order. */
  public List<KernelParameter.Passed> passed() {
    return parameters.stream()
        .filter(KernelParameter.Passed.class::isInstance)
        .map(KernelParameter.Passed.class::cast)
        .toList();
  }

  /** A parameter, for errors. */
  public String use(KernelParameter parameter) {
    Objects.requireNonNull(parameter, "parameter");
    return use(parameter.name());
  }

  /** A parameter, a field of one, or an array in a table, for errors. */
  public String use(String name) {
    Objects.requireNonNull(name, "name");
    return entry + ": parameter '" + name + "'";
  }

  /**
   * The threads per block if a parameter counts threads; 0 if each launch sets them, or they are
   * chosen when the kernel is loaded.
   */
  public int blockSize() {
    for (KernelParameter parameter : parameters) {
      if (parameter instanceof KernelParameter.Threads count && !count.isAutomatic()) {
        return count.blockSize();
      }
    }
    return 0;
  }

  /** Whether the threads per block are chosen when the kernel is loaded. */
  public boolean hasAutomaticBlockSize() {
    for (KernelParameter parameter : parameters) {
      if (parameter instanceof KernelParameter.Threads count && count.isAutomatic()) {
        return true;
      }
    }
    return false;
  }

  /** Dynamic shared memory per block, in bytes, unless a parameter sets it. */
  public int dynamicSharedBytes() {
    return dynamicSharedBytes;
  }

  /** Whether the kernel takes a table of arrays, as a parameter or as a field of one. */
  public boolean takesTables() {
    return placed().stream().anyMatch(each -> each.parameter() instanceof KernelParameter.Table);
  }

  /** Whether one array may be passed for two parameters, one of them written. */
  public boolean allowsAliases() {
    return aliasing;
  }

  /** Whether all blocks of a launch run at the same time, so that they may wait for each other. */
  public boolean isCooperative() {
    return cooperative;
  }

  /** Whether every launch has to stay in its arrays provably. */
  public boolean requiresBounds() {
    return boundsRequired;
  }

  /** The block that every launch must have, if there is one. */
  public Optional<BlockShape> requiredBlock() {
    return Optional.ofNullable(requiredBlock);
  }

  /**
   * Refuses a signature whose launches would be shaped by no parameter, or by two, or whose block
   * size would be chosen without knowing its shared memory, or would not be the required one, or
   * that limits elements by what has no length and is no whole number.
   *
   * @throws IllegalArgumentException with the names of such parameters
   */
  public void requireComplete() {
    List<KernelParameter> shapes =
        only(
            each ->
                each instanceof KernelParameter.Threads || each instanceof KernelParameter.Shape);
    if (shapes.isEmpty()) {
      throw new IllegalArgumentException(
          entry + ": no parameter says how many threads run; add threads(..) or shape(..)");
    }
    requireOne(shapes, "how many threads run");
    List<KernelParameter> sizes =
        only(
            each ->
                each instanceof KernelParameter.Shape
                    || each instanceof KernelParameter.SharedBytes);
    requireOne(sizes, "how much dynamic shared memory there is");
    if (requiredBlock != null
        && !(shapes.get(0) instanceof KernelParameter.Shape)
        && !requiredBlock.is(blockSize(), 1, 1)) {
      throw new IllegalArgumentException(
          entry
              + ": launches have "
              + (hasAutomaticBlockSize()
                  ? "an automatic block size"
                  : "blocks of " + blockSize() + " threads")
              + "; the kernel requires "
              + requiredBlock);
    }
    if (hasAutomaticBlockSize() && !sizes.isEmpty()) {
      throw new IllegalArgumentException(
          entry
              + ": the block size is chosen when the kernel is loaded, and '"
              + sizes.get(0).name()
              + "' sets its shared memory later; give a block size");
    }
    for (PlacedParameter placed : placed()) {
      if (placed.parameter() instanceof KernelParameter.Array array) {
        array.limits().forEach(limit -> requireLimit(placed, limit));
      }
    }
  }

  private void requireLimit(PlacedParameter array, ElementLimit limit) {
    if (limiting(array, limit).isEmpty()) {
      throw new IllegalArgumentException(
          use(array.name())
              + " has numbers "
              + limit.inWords()
              + ", which is neither an array nor a whole number of the kernel; name one of "
              + limitsInWords());
    }
  }

  private void requireOne(List<KernelParameter> parameters, String what) {
    if (parameters.size() > 1) {
      throw new IllegalArgumentException(
          entry
              + ": '"
              + parameters.get(0).name()
              + "' and '"
              + parameters.get(1).name()
              + "' both say "
              + what
              + "; leave one out");
    }
  }

  private List<KernelParameter> only(Predicate<KernelParameter> condition) {
    return parameters.stream().filter(condition).toList();
  }

  private KernelSignature array(String name, Class<?> type, Access access) {
    Objects.requireNonNull(type, "type");
    KernelParameter array;
    try {
      array = KernelParameter.tracked(named(name), type, access);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(use(named(name)) + ": " + e.getMessage(), e);
    }
    return with(array);
  }

  /**
   * Adds a parameter.
   *
   * @throws IllegalArgumentException if it counts threads as neither an {@code int} nor a {@code
   *     long}, or with blocks of less than 1 thread, or if another parameter has its name; every
   *     step that adds a parameter refuses that
   */
  public KernelSignature with(KernelParameter parameter) {
    Objects.requireNonNull(parameter, "parameter");
    if (parameter instanceof KernelParameter.Threads count) {
      requireCount(count);
    }
    if (!parameter.name().isEmpty()
        && parameters.stream().anyMatch(other -> other.name().equals(parameter.name()))) {
      throw new IllegalArgumentException(
          entry + ": two parameters are named '" + parameter.name() + "'; rename one");
    }
    List<KernelParameter> more = new ArrayList<>(parameters);
    more.add(parameter);
    return new KernelSignature(
        entry, more, dynamicSharedBytes, aliasing, cooperative, requiredBlock, boundsRequired);
  }

  private void requireCount(KernelParameter.Threads count) {
    if (!KernelParameter.Threads.canCount(count.type())) {
      throw new IllegalArgumentException(
          use(count) + " counts threads as " + count.type().primitive() + "; use an int or a long");
    }
    if (count.blockSize() < 1 && !count.isAutomatic()) {
      throw new IllegalArgumentException(
          use(count) + " has a block of " + count.blockSize() + " threads; it has at least 1");
    }
  }

  private ElementType primitive(String name, Class<?> type) {
    Objects.requireNonNull(type, "type");
    if (!type.isPrimitive() || type == void.class) {
      throw new IllegalArgumentException(
          use(named(name))
              + " is passed by value as "
              + type.getTypeName()
              + "; give the class of a primitive, such as int.class");
    }
    return ElementType.ofArray(type.arrayType());
  }

  /** The next parameter's name in errors: a signature written by hand may leave names out. */
  private String named(String name) {
    Objects.requireNonNull(name, "name");
    return name.isBlank() ? "#" + parameters.size() : name;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KernelSignature that
        && entry.equals(that.entry)
        && parameters.equals(that.parameters)
        && dynamicSharedBytes == that.dynamicSharedBytes
        && aliasing == that.aliasing
        && cooperative == that.cooperative
        && Objects.equals(requiredBlock, that.requiredBlock)
        && boundsRequired == that.boundsRequired;
  }

  @Override
  public int hashCode() {
    return 31 * entry.hashCode() + parameters.hashCode();
  }

  @Override
  public String toString() {
    return entry;
  }
}
