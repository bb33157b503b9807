package dev.streamfence.foreign;

import dev.streamfence.DeviceMemory;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Device memory that other code owns, described for {@link DeviceMemory#adopt}: where it is, when
 * its owner's work on it is done, and how the owner learns that the runtime no longer uses it.
 * Exactly one of {@link #readyAfterEvent}, {@link #readyAfterStream} and {@link #alreadyReady} must
 * be called, since a wrong guess would be a race. Immutable: each method returns a changed copy.
 */
public final class ForeignMemory {
  /** When the owner's work on foreign memory is done. */
  public sealed interface Readiness {
    /** Not stated, which {@link DeviceMemory#adopt} refuses. */
    record Unknown() implements Readiness {}

    /** When an event is reached. */
    record AfterEvent(long event) implements Readiness {}

    /** When everything that is queued on a stream at the time of the adoption is done. */
    record AfterStream(long stream) implements Readiness {}

    /** Before the adoption. */
    record Already() implements Readiness {}
  }

  private final long address;
  private final long sizeInBytes;
  private final String tag;
  private final Readiness readiness;
  private final Runnable release;
  private final long doneEvent;
  private final OptionalLong returnStream;

  private ForeignMemory(
      long address,
      long sizeInBytes,
      String tag,
      Readiness readiness,
      Runnable release,
      long doneEvent,
      OptionalLong returnStream) {
    this.address = address;
    this.sizeInBytes = sizeInBytes;
    this.tag = tag;
    this.readiness = readiness;
    this.release = release;
    this.doneEvent = doneEvent;
    this.returnStream = returnStream;
  }

  /**
   * Describes memory of a device.
   *
   * @param address the device address of its first byte; may be 0 if it has no bytes
   * @param sizeInBytes at least 0
   * @throws IllegalArgumentException if the size is negative, the address is 0 and the size is not,
   *     or the end is beyond every address
   */
  public static ForeignMemory at(long address, long sizeInBytes) {
    String what = sizeInBytes + " bytes of foreign memory at 0x" + Long.toHexString(address);
    if (sizeInBytes < 0) {
      throw new IllegalArgumentException(what + "; a size is at least 0");
    }
    if (address == 0 && sizeInBytes > 0) {
      throw new IllegalArgumentException(what + ", the null address");
    }
    if (address < 0 || address > Long.MAX_VALUE - sizeInBytes) {
      throw new IllegalArgumentException(what + " end beyond every address");
    }
    return new ForeignMemory(
        address,
        sizeInBytes,
        "",
        new Readiness.Unknown(),
        ForeignMemory::callNothing,
        0,
        OptionalLong.empty());
  }

  private static void callNothing() {}

  /** The device address of its first byte. */
  public long address() {
    return address;
  }

  /** How many bytes it has. */
  public long sizeInBytes() {
    return sizeInBytes;
  }

  /** Its name in errors and reports; may be empty. */
  public String tag() {
    return tag;
  }

  /** When the owner's work is done. */
  public Readiness readiness() {
    return readiness;
  }

  /** Calls the owner back. */
  public Runnable release() {
    return release;
  }

  /** The event of {@link #signalling}, or 0. */
  public long doneEvent() {
    return doneEvent;
  }

  /** The stream of {@link #returnedTo}, if any. */
  public OptionalLong returnStream() {
    return returnStream;
  }

  /**
   * The owner's work is done when an event is reached. The adopting stream waits for what the event
   * has recorded by the time of the adoption; the event is not used afterwards.
   *
   * @param event a {@code CUevent} or {@code cudaEvent_t} of this device, not 0
   * @throws IllegalArgumentException if it is 0, or another ready state was already given
   */
  public ForeignMemory readyAfterEvent(long event) {
    requireEvent(event);
    return ready(new Readiness.AfterEvent(event));
  }

  /**
   * The owner's work is everything queued on a stream at the time of the adoption. The adopting
   * stream waits for it.
   *
   * @param stream a {@code CUstream} or {@code cudaStream_t} of this device; 0 or 1 for the legacy
   *     default stream
   * @throws IllegalArgumentException if another ready state was already given, or the stream is 2,
   *     the default stream of each thread
   */
  public ForeignMemory readyAfterStream(long stream) {
    requireOneStream(stream);
    return ready(new Readiness.AfterStream(stream));
  }

  /**
   * The owner's work is done, or queued on the adopting stream.
   *
   * @throws IllegalArgumentException if another ready state was already given
   */
  public ForeignMemory alreadyReady() {
    return ready(new Readiness.Already());
  }

  private ForeignMemory ready(Readiness when) {
    if (!(readiness instanceof Readiness.Unknown)) {
      throw new IllegalArgumentException(
          this + " is said to be ready " + when + ", and " + readiness + " before; say it once");
    }
    return new ForeignMemory(address, sizeInBytes, tag, when, release, doneEvent, returnStream);
  }

  /**
   * Names the memory in errors and reports.
   *
   * @param newTag may be empty
   */
  public ForeignMemory named(String newTag) {
    Objects.requireNonNull(newTag, "tag");
    return new ForeignMemory(
        address, sizeInBytes, newTag, readiness, release, doneEvent, returnStream);
  }

  /**
   * Calls the owner back once, after every use of the memory by the runtime is done, or, with
   * {@link #signalling} or {@link #returnedTo}, after the owner's stream is made to wait for them.
   * The thread that closes the array or the runtime, or a thread of the runtime, makes the call,
   * before the close of the runtime returns. That thread holds no lock or stream of the runtime
   * meanwhile, so the call may use and close the runtime, and wait for threads that do. An
   * exception that it throws is logged. The owner is not called if the adoption fails.
   */
  public ForeignMemory releasedBy(Runnable newRelease) {
    Objects.requireNonNull(newRelease, "release");
    return new ForeignMemory(
        address, sizeInBytes, tag, readiness, newRelease, doneEvent, returnStream);
  }

  /**
   * Records an event when the runtime is done: the owner makes its stream wait for the event before
   * it uses the memory again. {@link #releasedBy} is then called without waiting for the device.
   *
   * @param event a {@code CUevent} or {@code cudaEvent_t} of this device, not 0, which exists until
   *     the release
   * @throws IllegalArgumentException if it is 0
   */
  public ForeignMemory signalling(long event) {
    requireEvent(event);
    return new ForeignMemory(address, sizeInBytes, tag, readiness, release, event, returnStream);
  }

  /**
   * Makes a stream of the owner wait until the runtime is done: work that the owner queues there
   * after the release runs later. {@link #releasedBy} is then called without waiting for the
   * device.
   *
   * @param stream a {@code CUstream} or {@code cudaStream_t} of this device, which exists until the
   *     release
   * @throws IllegalArgumentException if it is 2, the default stream of each thread
   */
  public ForeignMemory returnedTo(long stream) {
    requireOneStream(stream);
    return new ForeignMemory(
        address, sizeInBytes, tag, readiness, release, doneEvent, OptionalLong.of(stream));
  }

  private void requireOneStream(long stream) {
    if (stream == 2) {
      throw new IllegalArgumentException(
          "stream 2 for " + this + " is the default stream of each thread, another one in each");
    }
  }

  private void requireEvent(long event) {
    if (event == 0) {
      throw new IllegalArgumentException("the event of " + this + " is null");
    }
  }

  @Override
  public String toString() {
    return sizeInBytes
        + " bytes of "
        + (tag.isEmpty() ? "foreign memory" : "foreign memory '" + tag + "'")
        + " at 0x"
        + Long.toHexString(address);
  }
}
