package dev.streamfence.internal.ptx.analysis;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of a kernel, and of all functions that it calls, to the memory behind one parameter.
 * Immutable.
 *
 * <p>An access is <em>definite</em> if its address derives from exactly this parameter, even if no
 * launch runs the instruction. An access is <em>possible</em> if it is not definite but cannot be
 * ruled out. Each site is the first one in the order of the text.
 *
 * <p>If neither a definite nor a possible write is reported, the kernel does not write through this
 * parameter; likewise for reads. The kernel may still reach the same memory through a pointer that
 * it loads ({@link #readThroughContent}), or through another parameter with the same address.
 *
 * <p>The verdict follows values, not decisions: code that learns an address by comparisons alone,
 * bit by bit, and builds the same number from constants is not seen. This holds for predicates
 * ({@code setp}, {@code vote}, {@code match}), branches, and results of {@code set}.
 */
public final class ParameterAccess {
  /** The summary of all accesses in one word. */
  public enum Verdict {
    /** Neither read nor written. */
    NONE,
    /** Read, and certainly not written. */
    READS,
    /** Written, and certainly not read. */
    WRITES,
    /** Read and written. */
    READS_WRITES,
    /** A read or a write is possible but not definite. */
    UNKNOWN
  }

  /** What a site shows of a parameter. */
  enum Use {
    READ,
    WRITE,
    /** Has a reason, as all possible uses have. */
    POSSIBLE_READ,
    POSSIBLE_WRITE,
    /** A conversion between state spaces, which shows that it is an address. */
    CONVERSION,
    /** Takes a number for an address. */
    POSSIBLE_ADDRESS,
    /** Reads through an address from the memory behind it. */
    CONTENT_READ,
    CONTENT_WRITE
  }

  static final ParameterAccess UNTOUCHED = new ParameterAccess(Map.of(), null);

  private final Map<Use, AccessSite> sites;
  private final @Nullable AccessedWords words;

  ParameterAccess(Map<Use, AccessSite> sites, @Nullable AccessedWords words) {
    this.sites = Map.copyOf(sites);
    this.words = words;
  }

  private Optional<AccessSite> site(Use use) {
    return Optional.ofNullable(sites.get(use));
  }

  /**
   * Returns the first definite read; an atomic operation is a read and a write.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> read() {
    return site(Use.READ);
  }

  /**
   * Returns the first definite write.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> write() {
    return site(Use.WRITE);
  }

  /**
   * Returns the first site that may read the memory, or pass its address to code that may.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleRead() {
    return site(Use.POSSIBLE_READ);
  }

  /**
   * Returns the first site that may write the memory, or pass its address to code that may.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleWrite() {
    return site(Use.POSSIBLE_WRITE);
  }

  /**
   * Returns the first instruction that certainly takes the parameter for an address: one that reads
   * or writes its memory, or else converts it to another state space.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> address() {
    return read().or(this::write).or(() -> site(Use.CONVERSION));
  }

  /**
   * Returns the first site that may take a parameter for an address although it was declared a
   * number.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleAddress() {
    return site(Use.POSSIBLE_ADDRESS);
  }

  /**
   * Returns the first site that reads memory whose address was loaded from the memory behind the
   * parameter, or from memory to which such an address leads.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> readThroughContent() {
    return site(Use.CONTENT_READ);
  }

  /**
   * Returns the first site that writes memory whose address was loaded from the memory behind the
   * parameter, or from memory to which such an address leads.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> writeThroughContent() {
    return site(Use.CONTENT_WRITE);
  }

  /**
   * Returns the width of all accesses, and their stride if that is known.
   *
   * @return the width, if every access is a definite load or store of one word of that width
   */
  public Optional<AccessedWords> words() {
    return possibleRead().isEmpty() && possibleWrite().isEmpty()
        ? Optional.ofNullable(words)
        : Optional.empty();
  }

  /**
   * Returns the first site that makes the verdict unknown: a possible read where no read is
   * definite, or a possible write where no write is.
   *
   * @return the site, which has a reason, if the verdict is {@link Verdict#UNKNOWN}
   */
  public Optional<AccessSite> unknown() {
    Optional<AccessSite> unclearRead = read().isEmpty() ? possibleRead() : Optional.empty();
    Optional<AccessSite> unclearWrite = write().isEmpty() ? possibleWrite() : Optional.empty();
    return unclearRead.isPresent() && unclearWrite.isPresent()
        ? Optional.of(AccessSite.first(unclearRead.get(), unclearWrite.get()))
        : unclearRead.or(() -> unclearWrite);
  }

  /**
   * Returns the summary of all accesses.
   *
   * @return the verdict; {@link Verdict#UNKNOWN} if a read or a write is possible but not definite
   */
  public Verdict verdict() {
    if (unknown().isPresent()) {
      return Verdict.UNKNOWN;
    }
    if (read().isPresent()) {
      return write().isPresent() ? Verdict.READS_WRITES : Verdict.READS;
    }
    return write().isPresent() ? Verdict.WRITES : Verdict.NONE;
  }

  /** Returns the accesses to two parts of one structure together. */
  ParameterAccess and(ParameterAccess other) {
    Map<Use, AccessSite> both = new EnumMap<>(Use.class);
    both.putAll(sites);
    other.sites.forEach((use, site) -> both.merge(use, site, AccessSite::first));
    // Two pointers have no width in common that would say anything.
    return new ParameterAccess(both, this == UNTOUCHED ? other.words : null);
  }

  @Override
  public String toString() {
    return verdict() + unknown().map(site -> " because of " + site).orElse("");
  }
}
