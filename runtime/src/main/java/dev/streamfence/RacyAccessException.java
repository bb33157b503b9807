package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * Two unordered operations touch the same bytes, or an operation touches bytes that it must not.
 * The simulated device reports this regardless of the order in which the two ran.
 */
public final class RacyAccessException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Kind {
    /** Two writes of the same bytes, unordered. */
    WRITE_WRITE("both write"),
    /** A read, and a write submitted later, unordered. */
    READ_WRITE("the first reads and the second writes"),
    /** A write, and a read submitted later, unordered. */
    WRITE_READ("the first writes and the second reads"),
    /** A use of an allocation whose free was submitted before. */
    USE_AFTER_FREE("the first frees and the second uses"),
    /** A use of an allocation whose free was submitted later and does not wait for the use. */
    FREE_WHILE_IN_USE("the first uses and the second, which does not wait for it, frees"),
    /** A use or free of memory that does not wait for its allocation. */
    USE_BEFORE_READY("the first allocates and the second, which does not wait for it, uses"),
    /** A read of bytes that were not written since the allocation. */
    UNINITIALIZED_READ("the first allocates and the second reads bytes that were never written"),
    /**
     * The host wrote to a pinned array outside of an access: bytes changed between two operations,
     * and neither they nor others wrote them. Seen when the second one uses the bytes.
     */
    UNORDERED_HOST_WRITE("outside of every access, the host wrote after the first"),
    /** A kernel stores through a parameter that is declared as read. */
    UNDECLARED_WRITE(
        "the first allocates and the second, which declares them as only read, stores to"),
    /** A kernel loads through a parameter that is declared as written, before it stores there. */
    UNDECLARED_READ(
        "the first allocates and the second, which declares them as only written, loads"),
    /** A kernel touches device memory that was passed to none of its parameters. */
    UNDECLARED_ALLOCATION("the first allocates and the second, which was not passed them, touches");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /**
   * One operation on a stream. Immutable.
   *
   * @param what kernel and stream as its launcher names them, or the driver's function
   * @param parameter the parameter through which it touches the bytes, {@code source} or {@code
   *     destination} of a copy; empty when none is known
   * @param stream the device's stream, numbered from 1 in the order of creation; 0 for the host
   * @param position its position among the operations of that stream, from 1
   * @param ticket its ticket; 0 if the submitter gave none
   * @param submittedAt where the host submitted it, if that is traced
   */
  public record Operation(
      String what,
      String parameter,
      int stream,
      long position,
      long ticket,
      @Nullable Throwable submittedAt) {
    @Override
    public String toString() {
      return what
          + (parameter.isEmpty() ? "" : ", '" + parameter + "'")
          + " (operation "
          + position
          + " of the device's stream "
          + stream
          + (ticket == 0 ? "" : ", ticket " + ticket)
          + ")";
    }
  }

  /**
   * One error found. Immutable.
   *
   * @param kind what is wrong
   * @param first the operation that was submitted first; for an undeclared access, the allocation
   * @param second the operation that was submitted second
   * @param address the first byte concerned
   * @param bytes the number of bytes concerned from there on; others may be concerned as well
   */
  public record Finding(Kind kind, Operation first, Operation second, long address, long bytes) {
    @Override
    public String toString() {
      return kind
          + ": "
          + first
          + " and "
          + second
          + ": "
          + kind.words
          + " "
          + bytes
          + " bytes at 0x"
          + Long.toHexString(address);
    }
  }

  private final transient Finding finding;

  /**
   * Creates the exception, with the places where the operations were submitted as suppressed
   * exceptions.
   */
  public RacyAccessException(Finding finding) {
    super(finding.toString());
    this.finding = finding;
    if (finding.first().submittedAt() != null) {
      addSuppressed(finding.first().submittedAt());
    }
    if (finding.second().submittedAt() != null) {
      addSuppressed(finding.second().submittedAt());
    }
  }

  /** What is wrong. */
  public Kind kind() {
    return finding.kind();
  }

  /** The operation that was submitted first. */
  public Operation first() {
    return finding.first();
  }

  /** The operation that was submitted second. */
  public Operation second() {
    return finding.second();
  }

  /** The whole report as a value. */
  public Finding finding() {
    return finding;
  }
}
