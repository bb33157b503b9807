package dev.streamfence;

import dev.streamfence.internal.Suppressed;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two unordered operations touch the same bytes, or an operation touches bytes that it must not
 * touch. The simulated device finds this regardless of the order in which the two ran, and is lost
 * then: the driver call that notices the error first throws this exception, and so does every later
 * call.
 */
public final class RacyAccessException extends CudaDriverException {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Kind {
    /** Two writes of the same bytes, unordered. */
    WRITE_WRITE("writes", ", which %s writes as well; nothing orders the two"),
    /** A read, and a write submitted later, unordered. */
    READ_WRITE("writes", ", which %s reads; nothing orders the two"),
    /** A write, and a read submitted later, unordered. */
    WRITE_READ("reads", ", which %s writes; nothing orders the two"),
    /**
     * Two threads of one launch store to the same bytes, and nothing orders the two. Atomic stores
     * do not conflict with each other.
     */
    THREADS_WRITE_WRITE("writes", ", which %s writes as well; nothing orders the two"),
    /** A thread stores to bytes that another thread of its launch loads, unordered. */
    THREADS_READ_WRITE("writes", ", which %s reads; nothing orders the two"),
    /**
     * Two threads of one launch store the same value to the same bytes, unordered. A warning: it
     * does not end the device, since code may rely on it.
     */
    THREADS_SAME_VALUE("writes", ", to which %s writes the same value; nothing orders the two"),
    /** A use of an allocation whose free was submitted before. */
    USE_AFTER_FREE("uses", ", which %s has freed before"),
    /** A use of an allocation whose free was submitted later and does not wait for the use. */
    FREE_WHILE_IN_USE("frees", ", which %s uses, and does not wait for that"),
    /** A use or free of memory that does not wait for its allocation. */
    USE_BEFORE_READY("uses", ", which %s allocates, and does not wait for that"),
    /**
     * A read of bytes that were not written since the allocation, or by a block that reads them in
     * its shared memory.
     */
    UNINITIALIZED_READ("reads", ", which nothing has written since %s allocated them"),
    /**
     * The host wrote to a pinned array outside an access: bytes changed between two operations, and
     * no operation wrote them. Found when the second operation uses the bytes.
     */
    UNORDERED_HOST_WRITE("uses", ", to which the host wrote outside of every access, after %s"),
    /** A kernel stores through a parameter that is declared as read. */
    UNDECLARED_WRITE("stores to", " and declares them as only read; %s allocated them"),
    /** A kernel loads through a parameter that is declared as written, before it stores there. */
    UNDECLARED_READ("loads", " and declares them as only written; %s allocated them"),
    /** A kernel touches device memory that was not passed to any of its parameters. */
    UNDECLARED_ALLOCATION("touches", " that were not passed to it; %s allocated them"),
    /** A kernel loads equal elements of an array whose elements it declares to be distinct. */
    EQUAL_NUMBERS(
        "loads",
        ", a number that it has loaded from another place too, and declares the numbers to be"
            + " distinct; %s allocated them"),
    /** A kernel loads an element outside of the range that it declares of those of an array. */
    UNDECLARED_NUMBER(
        "loads", ", a number outside of the range that it declares; %s allocated them");

    private final String act;
    private final String rest;

    /**
     * The words of a report.
     *
     * @param act what the second operation does to the bytes
     * @param rest what is wrong with that, with a place for the first operation
     */
    Kind(String act, String rest) {
      this.act = act;
      this.rest = rest;
    }

    /** Whether a finding of this kind is only logged, and does not end the device. */
    public boolean isWarning() {
      return this == THREADS_SAME_VALUE;
    }
  }

  /**
   * A thread of a launch. Immutable.
   *
   * @param blockX the index of its block along x, from 0
   * @param blockY the index of its block along y
   * @param blockZ the index of its block along z
   * @param x its index in the block along x, from 0
   * @param y its index in the block along y
   * @param z its index in the block along z
   */
  public record KernelThread(int blockX, int blockY, int blockZ, int x, int y, int z)
      implements Serializable {
    @Override
    public String toString() {
      return String.format(
          "thread (%d, %d, %d) of block (%d, %d, %d)", x, y, z, blockX, blockY, blockZ);
    }
  }

  /**
   * One operation on a stream, or what one thread of a launch does. Immutable.
   *
   * @param what kernel and stream as its launcher names them, or the driver's function and the
   *     stream, or the host
   * @param parameter the parameter through which it touches the bytes, {@code source} or {@code
   *     destination} of a copy; empty when none is known
   * @param argument the array that was passed for the parameter, with its length and tag, or the
   *     variable in shared memory; empty if unknown
   * @param thread the thread that makes the access; null if the finding is about a whole launch or
   *     no launch
   * @param site the thread's access, or the launch's first such access of the allocation, as an
   *     instruction and its line in the PTX and, if the PTX has it, in the source; empty if unknown
   * @param stream the stream's number, {@link DeviceStream#id}; -1 for the host
   * @param position its position among the operations of that stream, from 1
   * @param ticket its ticket; 0 if the submitter gave none
   * @param submittedAt where the host submitted it, if that is traced
   */
  public record Operation(
      String what,
      String parameter,
      String argument,
      @Nullable KernelThread thread,
      String site,
      int stream,
      long position,
      long ticket,
      @Nullable Throwable submittedAt)
      implements Serializable {
    @Override
    public String toString() {
      return what
          + (ticket == 0 ? "" : " (ticket " + ticket + ")")
          + (thread == null ? "" : ", " + thread)
          + (parameter.isEmpty() ? "" : ", '" + parameter + "'")
          + (argument.isEmpty() ? "" : ", " + argument)
          + (site.isEmpty() ? "" : " (" + site + ")")
          + (argument.isEmpty() ? "" : ",");
    }

    /** Omits what the other thread of the launch has in common with this one. */
    private String asThread() {
      return thread + (site.isEmpty() ? "" : " (" + site + ")");
    }
  }

  /**
   * One error found, or a warning. Immutable.
   *
   * @param kind what is wrong
   * @param first the operation that was submitted first; for an undeclared access, the allocation;
   *     of two threads, the one that reads, or else the one that ran first; of unwritten shared
   *     memory, the read itself
   * @param second the operation that was submitted second, or the other thread
   * @param address the first byte concerned; in shared memory, counted from its start
   * @param bytes the number of bytes concerned from that address on; other bytes may be concerned
   *     as well
   * @param detail the figures that decide, such as the number that was loaded; empty for none
   */
  public record Finding(
      Kind kind, Operation first, Operation second, long address, long bytes, String detail)
      implements Serializable {
    /** An error or a warning without figures. */
    public Finding(Kind kind, Operation first, Operation second, long address, long bytes) {
      this(kind, first, second, address, bytes, "");
    }

    /** Begins with the operation that was submitted second, and ends with the kind. */
    @Override
    public String toString() {
      return second
          + " "
          + kind.act
          + " "
          + bytes
          + " bytes at 0x"
          + Long.toHexString(address)
          + rest()
          + (detail.isEmpty() ? "" : " (" + detail + ")")
          + " ["
          + kind
          + "]";
    }

    private String rest() {
      if (kind == Kind.UNINITIALIZED_READ && second.thread() != null) {
        return ", which no thread of its block has written";
      }
      return String.format(kind.rest, first.thread() == null ? first : first.asThread());
    }
  }

  private final Finding finding;

  /**
   * Creates the error of the driver call that notices a finding, with the places where the
   * operations were submitted as suppressed exceptions.
   *
   * @param call the driver's function
   * @param code the code that it returns
   * @param codeName the code's name
   */
  public RacyAccessException(String call, int code, String codeName, Finding finding) {
    this(call, code, codeName, "", List.of(), null, finding);
    if (finding.first().submittedAt() != null) {
      Suppressed.add(this, finding.first().submittedAt());
    }
    if (finding.second().submittedAt() != null) {
      Suppressed.add(this, finding.second().submittedAt());
    }
  }

  private RacyAccessException(
      String call,
      int code,
      String codeName,
      String purpose,
      List<String> outstanding,
      @Nullable Throwable cause,
      Finding finding) {
    super(call, code, codeName, purpose, outstanding, cause);
    this.finding = finding;
  }

  @Override
  String culprit() {
    return finding.toString();
  }

  @Override
  RacyAccessException copy(String during, List<String> work, @Nullable Throwable cause) {
    return new RacyAccessException(call(), code(), codeName(), during, work, cause, finding);
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
