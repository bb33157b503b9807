package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * Two operations touch the same bytes and nothing orders them, or an operation touches what it must
 * not. The simulated device reports it, whatever order the two happened to run in.
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
    /** A use of a block whose free was submitted before. */
    USE_AFTER_FREE("the first frees and the second uses"),
    /** A use of a block whose free was submitted later, and does not wait for the use. */
    FREE_WHILE_IN_USE("the first uses and the second, which does not wait for it, frees"),
    /** A use, or the free, of a block that does not wait for the block's allocation. */
    USE_BEFORE_READY("the first allocates and the second, which does not wait for it, uses"),
    /** A read of bytes that nothing was written to since the allocation. */
    UNINITIALIZED_READ("the first allocates and the second reads what nobody has written"),
    /** A kernel stores through a parameter that is declared as read. */
    UNDECLARED_WRITE("the first allocates and the second stores through what it declares as read"),
    /** A kernel loads through a parameter that is declared as written, before it stores there. */
    UNDECLARED_READ(
        "the first allocates and the second loads, before it stores, what it declares as written"),
    /** A kernel touches device memory that none of its parameters was given. */
    UNDECLARED_BLOCK("the first allocates and the second touches without having been given");

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
   * @param ticket its ticket; 0 when the submitter named none
   * @param submittedAt where the host submitted it, when that is traced
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
   * One thing that is wrong. Immutable.
   *
   * @param kind what is wrong
   * @param first the operation that was submitted first; for an access beyond the declared ones the
   *     allocation of the block
   * @param second the operation that was submitted second
   * @param address the first byte that is concerned
   * @param bytes how many bytes from there on are concerned; others may be, too
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

  /** Creates a report; where its operations were submitted becomes suppressed exceptions. */
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

  /** All of it as a value. */
  public Finding finding() {
    return finding;
  }
}
