package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.analysis.AccessedWords;
import dev.streamfence.internal.ptx.analysis.LaunchFacts;
import dev.streamfence.internal.ptx.bounds.TileOverrun;
import dev.streamfence.internal.ptx.syntax.MangledName;
import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One difference between a kernel's code and its declaration. Immutable. */
public final class Mismatch {
  /** The kind of a difference. */
  public enum Difference {
    /** The module has no such entry; {@link #actual} names the entries that it has. */
    NO_ENTRY,
    /** The entry takes another number of parameters; {@link #actual} is that number. */
    PARAMETER_COUNT,
    /**
     * A parameter has another size; {@link #actual} is that size in bytes, with the type if the
     * entry's name tells it.
     */
    PARAMETER_SIZE,
    /** A parameter is of another kind; {@link #actual} is the kind that the entry takes. */
    PARAMETER_KIND,
    /** The entry does not allow the declared block size; {@link #actual} is what it allows. */
    BLOCK_SIZE,
    /** The block size is left to the driver, but the code is written for one. */
    ONE_BLOCK_SIZE,
    /** The kernel waits for its whole grid, but its launches are not cooperative. */
    GRID_BARRIER,
    /** The kernel uses dynamic shared memory, but its launches have none. */
    NO_DYNAMIC_SHARED,
    /** The kernel uses clusters of blocks, but a launch has clusters of one block. */
    NO_CLUSTER,
    /** The kernel needs whole warp groups, but the declared block does not consist of them. */
    WARP_GROUPS,
    /** A thread of the declared block leaves an array in shared memory. */
    TILE_SIZE,
    /** The kernel stores to a read-only buffer; {@link #actual} is the correct annotation. */
    STORES,
    /** The kernel loads from a write-only buffer; {@link #actual} is the correct annotation. */
    LOADS,
    /** The kernel never stores to a buffer that is declared as written. */
    NEVER_STORES,
    /** The kernel only loads from a read-write buffer: safe, but other readers wait in vain. */
    ONLY_LOADS,
    /**
     * The kernel only touches words narrower than the elements, or computes with floating-point
     * numbers of a type that the elements do not have, or its elements have another size, or the
     * components of a record by value are of another kind than its numbers; {@link #actual} names
     * the arrays or records that it may be written for.
     */
    ELEMENT_WIDTH,
    /**
     * Threads of one launch conflict whatever the data are; {@link #actual} ends the sentence with
     * the other access.
     */
    RACE,
    /** Threads of one launch conflict if numbers that they load are equal; see {@link #RACE}. */
    DATA_DEPENDENT_RACE,
    /**
     * The interface requires a proof that no threads conflict, and the code does not show it;
     * {@link #actual} ends the sentence with the reason, or with the other access.
     */
    UNPROVED_RACES,
    /** The interface requires proved bounds, and the code does not limit what it touches. */
    UNPROVED_BOUNDS,
    /**
     * The kernel uses a number as an address, so its memory is not tracked; {@link #actual} is the
     * remedy.
     */
    ADDRESS,
    /**
     * The kernel may use a number as an address; the site has a reason, and {@link #actual} is the
     * remedy.
     */
    MAY_BE_ADDRESS,
    /**
     * The kernel follows addresses that it takes from an array; {@link #actual} says what it does
     * through them.
     */
    CONTENT_ADDRESS,
    /** The kernel stores to a table of arrays, which it should only read. */
    STORES_TO_TABLE,
    /** The kernel reads a table of arrays, but takes no address from it. */
    NO_TABLE,
    /** The kernel may store to a table of arrays that is not trusted; the site has a reason. */
    MAY_STORE_TO_TABLE,
    /** The kernel may store to a read-only buffer that is not trusted; the site has a reason. */
    MAY_STORE,
    /** The kernel may load from a write-only buffer that is not trusted; the site has a reason. */
    MAY_LOAD;

    /** Returns whether the code may as well agree with the declaration. */
    boolean isUnclear() {
      return switch (this) {
        case MAY_BE_ADDRESS, MAY_STORE_TO_TABLE, MAY_STORE, MAY_LOAD -> true;
        default -> false;
      };
    }
  }

  /**
   * What differs.
   *
   * @param parameter the index of the parameter, from 0
   * @param name its name, with that of its field
   * @param memory the memory behind it, in words
   */
  record Subject(int parameter, String name, String memory) {}

  private final Difference kind;
  private final @Nullable Subject subject;
  private final String actual;
  private final @Nullable AccessSite site;

  /** The predicate of a difference that depends on more than the declaration; else empty. */
  private final String predicate;

  private Mismatch(
      Difference kind, @Nullable Subject subject, String actual, @Nullable AccessSite site) {
    this(kind, subject, actual, site, "");
  }

  private Mismatch(
      Difference kind,
      @Nullable Subject subject,
      String actual,
      @Nullable AccessSite site,
      String predicate) {
    this.predicate = predicate;
    this.kind = kind;
    this.subject = subject;
    this.actual = actual;
    this.site = site;
  }

  static Mismatch ofEntry(Difference kind, Object actual) {
    return new Mismatch(kind, null, actual.toString(), null);
  }

  static Mismatch ofEntryAt(AccessSite site, Difference kind) {
    return new Mismatch(kind, null, "", site);
  }

  static Mismatch of(Subject subject, Difference kind, Object actual) {
    return new Mismatch(kind, subject, actual.toString(), null);
  }

  static Mismatch of(int parameter, Difference kind, Object actual) {
    return of(new Subject(parameter, "", ""), kind, actual);
  }

  /** A difference in size; the entry's name may tell the type that the parameter has. */
  static Mismatch ofSize(String entry, int parameter, int actual) {
    String type =
        MangledParameters.inWords(entry, parameter, actual).map(known -> ": " + known).orElse("");
    return of(parameter, Difference.PARAMETER_SIZE, actual + type);
  }

  static Mismatch at(AccessSite site, Subject subject, Difference kind, String actual) {
    return new Mismatch(kind, subject, actual, site);
  }

  /**
   * Elements that the kernel only touches as floating-point numbers of another type.
   *
   * @param arrays the declared type in words, such as {@code int[]}
   */
  static Mismatch ofFloats(AccessedWords words, Subject subject, String arrays) {
    String predicate =
        " is " + arrays + ", but the kernel only touches numbers of type " + floats(words);
    return new Mismatch(
        Difference.ELEMENT_WIDTH, subject, arrays(floats(words)), words.site(), predicate);
  }

  /**
   * A difference in the width of elements.
   *
   * @param arrays the declared type in words, such as {@code double[]}
   */
  static Mismatch ofWidth(AccessedWords words, Subject subject, String arrays, int elementBytes) {
    String floats = floats(words);
    String fitting =
        switch (words.bytes()) {
          case Short.BYTES -> arrays("short") + " or " + arrays("char");
          case Long.BYTES -> (words.areFloats() ? "" : arrays("long") + " or ") + arrays(floats);
          default -> (words.areFloats() ? "" : arrays("int") + " or ") + arrays(floats);
        };
    String predicate =
        " is "
            + arrays
            + ", whose elements have "
            + elementBytes
            + " bytes, but the kernel only touches words of "
            + words.bytes()
            + " bytes at a stride of "
            + words.stride();
    return new Mismatch(Difference.ELEMENT_WIDTH, subject, fitting, words.site(), predicate);
  }

  /** Records whose components are others than those of the kernel's structure. */
  static Mismatch ofRecord(AccessSite site, Subject subject, String predicate) {
    String fitting = "record with the components of the kernel's structure, in the same order";
    return new Mismatch(Difference.ELEMENT_WIDTH, subject, fitting, site, predicate);
  }

  /** The type of floating-point numbers that are as wide as some words. */
  private static String floats(AccessedWords words) {
    return words.bytes() == Long.BYTES ? "double" : "float";
  }

  private static String arrays(String elements) {
    return "DeviceArray<" + elements + "[]>";
  }

  /**
   * Threads of one launch that conflict, or may do so.
   *
   * @param subject the array; null for a variable
   * @param what says what they do
   * @param other the other access; empty if both make the same
   */
  static Mismatch ofRace(
      AccessSite site, @Nullable Subject subject, Difference kind, String what, String other) {
    return new Mismatch(kind, subject, other, site, what);
  }

  /** A thread that leaves an array in shared memory. */
  static Mismatch ofTile(AccessSite site, TileOverrun overrun, BlockShape block) {
    boolean isFlat = block.y() == 1 && block.z() == 1;
    String predicate =
        ": thread "
            + (isFlat
                ? String.valueOf(overrun.x())
                : "(" + overrun.x() + ", " + overrun.y() + ", " + overrun.z() + ")")
            + " of a block of "
            + (isFlat ? String.valueOf(block.x()) : block.toString())
            + " accesses byte "
            + overrun.offset()
            + " of the shared array '"
            + MangledName.variable(overrun.tile().name())
            + "', which has "
            + overrun.tile().sizeInBytes()
            + " bytes";
    return new Mismatch(Difference.TILE_SIZE, null, "", site, predicate);
  }

  /**
   * Returns whether another difference has the same cause: it is as unclear, at the same place, for
   * the same reason.
   */
  boolean hasCauseOf(Mismatch other) {
    return kind.isUnclear()
        && other.kind.isUnclear()
        && (kind == Difference.MAY_BE_ADDRESS) == (other.kind == Difference.MAY_BE_ADDRESS)
        && isCausedLike(other);
  }

  /** Returns whether another difference is about the same parameter, or field of one. */
  boolean isAbout(Mismatch other) {
    return subject != null
        && other.subject != null
        && subject.parameter() == other.subject.parameter()
        && subject.name().equals(other.subject.name());
  }

  /**
   * Returns whether launches may be right in spite of the difference. Races have rules of their
   * own.
   */
  public boolean isWarning() {
    return switch (kind) {
      case ELEMENT_WIDTH, ONLY_LOADS, CONTENT_ADDRESS -> true;
      case NO_DYNAMIC_SHARED, NO_CLUSTER, WARP_GROUPS -> true;
      default -> kind.isUnclear();
    };
  }

  /** Returns whether another difference is only the doubt about which of several arrays it is. */
  boolean explains(Mismatch other) {
    return other.kind.isUnclear() && isCausedLike(other);
  }

  /** Returns whether another difference says the same about the same parameter. */
  boolean repeats(Mismatch other) {
    return kind == other.kind && parameter() == other.parameter();
  }

  private boolean isCausedLike(Mismatch other) {
    return site != null
        && other.site != null
        && site.cause().orElse(site).equals(other.site.cause().orElse(other.site));
  }

  /** Returns the kind of the difference. */
  public Difference kind() {
    return kind;
  }

  /** Returns the index of the affected parameter, from 0, or -1 for the entry. */
  public int parameter() {
    return subject == null ? -1 : subject.parameter();
  }

  /**
   * Returns the actual property of the code, as described at its kind; an empty string if the kind
   * describes none.
   */
  public String actual() {
    return actual;
  }

  /**
   * Says what differs; names the kernel, and the parameter if it is about one.
   *
   * @param declared the declaration that the code was compared with
   * @param place describes the instruction that shows the difference
   * @return a sentence without a full stop
   */
  public String sentence(KernelSignature declared, Function<AccessSite, String> place) {
    String entry = declared.entry();
    String shown =
        site == null
            ? ""
            : ": " + place.apply(site.withNames(index -> declared.passed().get(index).name()));
    return switch (kind) {
      case NO_ENTRY -> "the code has no entry " + entry + "; it has " + actual;
      case PARAMETER_COUNT ->
          entry
              + (actual.equals("1") ? " takes 1 parameter" : " takes " + actual + " parameters")
              + "; the interface passes "
              + declared.passed().size();
      case BLOCK_SIZE -> entry + blocks(declared) + "; the kernel allows " + actual;
      case ONE_BLOCK_SIZE ->
          entry + " has an automatic block size, but its code is written for one" + shown;
      case GRID_BARRIER ->
          entry + " is not cooperative, but the kernel waits for its whole grid" + shown;
      case NO_DYNAMIC_SHARED ->
          entry + " has no dynamic shared memory, but the kernel uses it" + shown;
      case NO_CLUSTER ->
          entry + " is launched in clusters of one block, but the kernel uses clusters" + shown;
      case WARP_GROUPS ->
          entry
              + blocks(declared)
              + "; the kernel takes warp groups of "
              + LaunchFacts.WARP_GROUP
              + " threads"
              + shown;
      case TILE_SIZE -> entry + predicate + shown;
      case RACE, DATA_DEPENDENT_RACE -> entry + predicate + shown + actual;
      case UNPROVED_RACES ->
          entry + " is not proved to be free of races" + predicate + shown + actual;
      case PARAMETER_SIZE ->
          use(declared, " has " + passed(declared).sizeInBytes() + " bytes; " + ofKernel("has"));
      case PARAMETER_KIND ->
          use(declared, " is " + passed(declared).inWords() + "; " + ofKernel("is"));
      case UNPROVED_BOUNDS -> use(declared, " has no provable bounds: " + memory() + shown);
      case STORES -> use(declared, " is @Reads, but the kernel stores to " + memory() + shown);
      case LOADS -> use(declared, " is @Writes, but the kernel loads from " + memory() + shown);
      case NEVER_STORES -> use(declared, " is @Writes, but the kernel never stores to " + memory());
      case ONLY_LOADS ->
          use(declared, " is @ReadWrites, but the kernel only loads from " + memory());
      case ELEMENT_WIDTH -> use(declared, predicate + shown);
      case ADDRESS ->
          use(declared, " is passed by value, but the kernel uses it as an address" + shown);
      case MAY_BE_ADDRESS ->
          use(declared, " is passed by value, but the kernel may use it as an address" + shown);
      case CONTENT_ADDRESS ->
          use(
              declared,
              " is declared to hold values, but the kernel takes addresses from "
                  + memory()
                  + " and "
                  + actual
                  + " through them"
                  + shown);
      case STORES_TO_TABLE ->
          use(declared, " is a table of arrays, but the kernel stores to the table itself" + shown);
      case NO_TABLE ->
          use(declared, " is a table of arrays, but the kernel takes no address from it" + shown);
      case MAY_STORE_TO_TABLE ->
          use(
              declared,
              " is a table of arrays, but the kernel may store to the table itself" + shown);
      case MAY_STORE ->
          use(declared, " is @Reads, but the kernel may store to " + memory() + shown);
      case MAY_LOAD ->
          use(declared, " is @Writes, but the kernel may load from " + memory() + shown);
    };
  }

  private static String blocks(KernelSignature declared) {
    return declared
        .requiredBlock()
        .map(required -> " requires blocks of " + required + " threads")
        .orElseGet(
            () ->
                " is launched with "
                    + (declared.hasAutomaticBlockSize()
                        ? "blocks of one dimension"
                        : declared.blockSize() + " threads per block"));
  }

  private String use(KernelSignature declared, String what) {
    String name = subject == null ? "" : subject.name();
    return "parameter '"
        + (name.isEmpty() ? passed(declared).name() : name)
        + "' of "
        + declared.entry()
        + what;
  }

  private String memory() {
    return subject == null ? "" : subject.memory();
  }

  private KernelParameter.Passed passed(KernelSignature declared) {
    return declared.passed().get(parameter());
  }

  private String ofKernel(String verb) {
    return "parameter " + (parameter() + 1) + " of the kernel " + verb + " " + actual;
  }
}
