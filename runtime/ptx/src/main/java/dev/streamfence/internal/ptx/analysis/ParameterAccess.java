package dev.streamfence.internal.ptx.analysis;

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

  static final ParameterAccess UNTOUCHED = new ParameterAccess(null, null, null, null, null);

  private final @Nullable AccessSite read;
  private final @Nullable AccessSite write;
  private final @Nullable AccessSite possibleRead;
  private final @Nullable AccessSite possibleWrite;
  private final AddressUses addresses;
  private final @Nullable AccessedWords words;

  ParameterAccess(
      @Nullable AccessSite read,
      @Nullable AccessSite write,
      @Nullable AccessSite possibleRead,
      @Nullable AccessSite possibleWrite,
      @Nullable AccessedWords words) {
    this(read, write, possibleRead, possibleWrite, words, AddressUses.NONE);
  }

  ParameterAccess(
      @Nullable AccessSite read,
      @Nullable AccessSite write,
      @Nullable AccessSite possibleRead,
      @Nullable AccessSite possibleWrite,
      @Nullable AccessedWords words,
      AddressUses addresses) {
    this.read = read;
    this.write = write;
    this.possibleRead = possibleRead;
    this.possibleWrite = possibleWrite;
    this.words = words;
    this.addresses = addresses;
  }

  /**
   * Returns the first definite read; an atomic operation is a read and a write.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> read() {
    return Optional.ofNullable(read);
  }

  /**
   * Returns the first definite write.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> write() {
    return Optional.ofNullable(write);
  }

  /**
   * Returns the first site that may read the memory, or pass its address to code that may.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleRead() {
    return Optional.ofNullable(possibleRead);
  }

  /**
   * Returns the first site that may write the memory, or pass its address to code that may.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleWrite() {
    return Optional.ofNullable(possibleWrite);
  }

  /**
   * Returns the first instruction that certainly takes the parameter for an address: one that reads
   * or writes its memory, or else converts it to another state space.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> address() {
    AccessSite access = read != null ? read : write;
    return Optional.ofNullable(access != null ? access : addresses.conversion());
  }

  /**
   * Returns the first site that may take a parameter for an address although it was declared a
   * number.
   *
   * @return the site, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleAddress() {
    return Optional.ofNullable(addresses.possible());
  }

  /**
   * Returns the first site that reads memory whose address was loaded from the memory behind the
   * parameter, or from memory to which such an address leads.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> readThroughContent() {
    return Optional.ofNullable(addresses.load());
  }

  /**
   * Returns the first site that writes memory whose address was loaded from the memory behind the
   * parameter, or from memory to which such an address leads.
   *
   * @return the site, if there is one
   */
  public Optional<AccessSite> writeThroughContent() {
    return Optional.ofNullable(addresses.store());
  }

  /**
   * Returns the width of all accesses, and their stride if that is known.
   *
   * @return the width, if every access is a definite load or store of one word of that width
   */
  public Optional<AccessedWords> words() {
    return possibleRead == null && possibleWrite == null
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
    AccessSite unclearRead = read == null ? possibleRead : null;
    AccessSite unclearWrite = write == null ? possibleWrite : null;
    return Optional.ofNullable(AccessSite.first(unclearRead, unclearWrite));
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
    if (read != null) {
      return write != null ? Verdict.READS_WRITES : Verdict.READS;
    }
    return write != null ? Verdict.WRITES : Verdict.NONE;
  }

  /** Returns the accesses to two parts of one structure together. */
  ParameterAccess and(ParameterAccess other) {
    return new ParameterAccess(
        AccessSite.first(read, other.read),
        AccessSite.first(write, other.write),
        AccessSite.first(possibleRead, other.possibleRead),
        AccessSite.first(possibleWrite, other.possibleWrite),
        // Two pointers have no width in common that would say anything.
        this == UNTOUCHED ? other.words : null,
        addresses.and(other.addresses));
  }

  @Override
  public String toString() {
    return verdict() + unknown().map(site -> " because of " + site).orElse("");
  }
}
