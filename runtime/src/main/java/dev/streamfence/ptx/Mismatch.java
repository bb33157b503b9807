package dev.streamfence.ptx;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One thing in which a kernel's code is not what is declared of it. Immutable. */
public final class Mismatch {
  /** What is not as declared. */
  public enum Kind {
    /** The module has no such entry; {@link #actual} says which it has instead. */
    NO_ENTRY,
    /** The entry takes another number of parameters; {@link #actual} is that number. */
    PARAMETER_COUNT,
    /** A parameter has another size; {@link #actual} is that size in bytes. */
    PARAMETER_SIZE,
    /** A parameter is of another kind; {@link #actual} says what is taken. */
    PARAMETER_KIND,
    /** Blocks have more threads than the entry allows; {@link #actual} is what it does. */
    BLOCK_SIZE,
    /** What is only to be read is stored to; {@link #actual} is the annotation that says so. */
    STORES,
    /** What is only to be written is loaded from; {@link #actual} is what would say so. */
    LOADS,
    /** What is to be written is never stored to. */
    NEVER_STORES,
    /** What is to be read and written is only read: not wrong, but later launches wait in vain. */
    ONLY_LOADS,
    /** What is passed as a number is used as an address, of memory that nobody tracks. */
    ADDRESS,
    /** More than what is declared cannot be ruled out; the site has a reason. */
    UNCLEAR
  }

  private final Kind kind;
  private final int parameter;
  private final String actual;
  private final @Nullable AccessSite site;

  private Mismatch(Kind kind, int parameter, String actual, @Nullable AccessSite site) {
    this.kind = kind;
    this.parameter = parameter;
    this.actual = actual;
    this.site = site;
  }

  static Mismatch ofEntry(Kind kind, Object actual) {
    return new Mismatch(kind, -1, actual.toString(), null);
  }

  static Mismatch of(int parameter, Kind kind, Object actual) {
    return new Mismatch(kind, parameter, actual.toString(), null);
  }

  static Mismatch at(AccessSite site, int parameter, Kind kind, String actual) {
    return new Mismatch(kind, parameter, actual, site);
  }

  /** Returns what is not as declared. */
  public Kind kind() {
    return kind;
  }

  /** Returns the parameter that it is about, counted from 0, or -1 if it is about the entry. */
  public int parameter() {
    return parameter;
  }

  /** Returns what the code has instead, as its kind says; empty where the site says it. */
  public String actual() {
    return actual;
  }

  /**
   * Returns the instruction that shows it.
   *
   * @return the place, of an access that is there and ought not to be
   */
  public Optional<AccessSite> site() {
    return Optional.ofNullable(site);
  }

  @Override
  public String toString() {
    return kind
        + (parameter < 0 ? "" : " of parameter " + parameter)
        + (actual.isEmpty() ? "" : " " + actual)
        + (site == null ? "" : " by " + site);
  }
}
