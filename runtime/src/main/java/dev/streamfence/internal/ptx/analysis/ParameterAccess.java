package dev.streamfence.internal.ptx.analysis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel, with all functions that it calls, does to the memory behind one parameter.
 * Immutable.
 *
 * <p>A <em>definite</em> access is one whose address derives from exactly this parameter. Code that
 * is never reached counts as run. What is not definite, but cannot be ruled out, is
 * <em>possible</em>. Each site is the first one in the order of the text.
 *
 * <p>Where neither a definite nor a possible write is reported, the kernel does not write through
 * this parameter; likewise for reads. It may still reach the same memory through a pointer that
 * lies in memory, or through another parameter that holds the same address.
 */
public final class ParameterAccess {
  /** An access in one word. */
  public enum Verdict {
    /** Neither read nor written. */
    NONE,
    /** Read, and certainly not written. */
    READS,
    /** Written, and certainly not read. */
    WRITES,
    /** Read and written. */
    READS_WRITES,
    /** Something is possible that is not known for certain. */
    UNKNOWN
  }

  static final ParameterAccess UNTOUCHED = new ParameterAccess(null, null, null, null);

  private final @Nullable AccessSite read;
  private final @Nullable AccessSite write;
  private final @Nullable AccessSite possibleRead;
  private final @Nullable AccessSite possibleWrite;

  ParameterAccess(
      @Nullable AccessSite read,
      @Nullable AccessSite write,
      @Nullable AccessSite possibleRead,
      @Nullable AccessSite possibleWrite) {
    this.read = read;
    this.write = write;
    this.possibleRead = possibleRead;
    this.possibleWrite = possibleWrite;
  }

  /**
   * Returns the first definite read; an atomic operation is a read and a write.
   *
   * @return the place, if there is one
   */
  public Optional<AccessSite> read() {
    return Optional.ofNullable(read);
  }

  /**
   * Returns the first definite write.
   *
   * @return the place, if there is one
   */
  public Optional<AccessSite> write() {
    return Optional.ofNullable(write);
  }

  /**
   * Returns the first place that may read the memory, or hand its address to what may.
   *
   * @return the place, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleRead() {
    return Optional.ofNullable(possibleRead);
  }

  /**
   * Returns the first place that may write the memory, or hand its address to what may.
   *
   * @return the place, which has a reason, if there is one
   */
  public Optional<AccessSite> possibleWrite() {
    return Optional.ofNullable(possibleWrite);
  }

  /**
   * Returns the first place that keeps the verdict from being known: a possible read where no read
   * is definite, or a possible write where no write is.
   *
   * @return the place, which has a reason, if the verdict is {@link Verdict#UNKNOWN}
   */
  public Optional<AccessSite> unknown() {
    AccessSite unclearRead = read == null ? possibleRead : null;
    AccessSite unclearWrite = write == null ? possibleWrite : null;
    return Optional.ofNullable(first(unclearRead, unclearWrite));
  }

  /**
   * Sums up.
   *
   * @return the access, or {@link Verdict#UNKNOWN} if anything remains possible that is not
   *     definite
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

  /** Returns what is true of two parts of one structure together. */
  ParameterAccess and(ParameterAccess other) {
    return new ParameterAccess(
        first(read, other.read),
        first(write, other.write),
        first(possibleRead, other.possibleRead),
        first(possibleWrite, other.possibleWrite));
  }

  private static @Nullable AccessSite first(@Nullable AccessSite a, @Nullable AccessSite b) {
    if (a == null) {
      return b;
    }
    return b == null || a.line() <= b.line() ? a : b;
  }

  @Override
  public String toString() {
    return verdict() + unknown().map(site -> " because of " + site).orElse("");
  }
}
