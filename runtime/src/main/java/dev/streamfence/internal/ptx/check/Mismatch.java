package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One difference between a kernel's code and its declaration. Immutable. */
public final class Mismatch {
  /** The kind of a difference. */
  public enum Difference {
    /** The module has no such entry; {@link #actual} names the entries that it has. */
    NO_ENTRY,
    /** The entry takes another number of parameters; {@link #actual} is that number. */
    PARAMETER_COUNT,
    /** A parameter has another size; {@link #actual} is that size in bytes. */
    PARAMETER_SIZE,
    /** A parameter is of another kind; {@link #actual} is the kind that the entry takes. */
    PARAMETER_KIND,
    /** The entry does not allow the declared block size; {@link #actual} is what it allows. */
    BLOCK_SIZE,
    /** The kernel stores to a read-only buffer; {@link #actual} is the correct annotation. */
    STORES,
    /** The kernel loads from a write-only buffer; {@link #actual} is the correct annotation. */
    LOADS,
    /** The kernel never stores to a buffer that is declared as written. */
    NEVER_STORES,
    /** The kernel only loads from a read-write buffer: correct, but later launches wait in vain. */
    ONLY_LOADS,
    /** The kernel uses a number as an address, so its memory is not tracked. */
    ADDRESS,
    /** An undeclared access cannot be ruled out; the site has a reason. */
    UNCLEAR
  }

  private final Difference kind;
  private final int parameter;
  private final String actual;
  private final @Nullable AccessSite site;

  private Mismatch(Difference kind, int parameter, String actual, @Nullable AccessSite site) {
    this.kind = kind;
    this.parameter = parameter;
    this.actual = actual;
    this.site = site;
  }

  static Mismatch ofEntry(Difference kind, Object actual) {
    return new Mismatch(kind, -1, actual.toString(), null);
  }

  static Mismatch of(int parameter, Difference kind, Object actual) {
    return new Mismatch(kind, parameter, actual.toString(), null);
  }

  static Mismatch at(AccessSite site, int parameter, Difference kind, String actual) {
    return new Mismatch(kind, parameter, actual, site);
  }

  /** Returns the kind of the difference. */
  public Difference kind() {
    return kind;
  }

  /** Returns the index of the affected parameter, from 0, or -1 for the entry. */
  public int parameter() {
    return parameter;
  }

  /**
   * Returns the actual property of the code, as described at its kind; an empty string if the kind
   * describes none.
   */
  public String actual() {
    return actual;
  }

  /**
   * Returns the instruction that shows the difference.
   *
   * @return the place of an undeclared access, if the difference is one
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
