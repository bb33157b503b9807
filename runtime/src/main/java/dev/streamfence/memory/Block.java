package dev.streamfence.memory;

import dev.streamfence.StreamMisuseException;
import dev.streamfence.stream.Dependencies;
import dev.streamfence.stream.Timeline;
import dev.streamfence.stream.UseLabels;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One allocation of device memory. Its address may be used again after it is freed; its generation
 * never is. Immutable but for its {@link #dependencies}, and thread-safe.
 */
public final class Block {
  /** Process-wide, so that a number names one block whatever device or runtime it came from. */
  private static final AtomicLong GENERATIONS = new AtomicLong();

  private final long address;
  private final long sizeInBytes;
  private final String tag;
  private final long generation = GENERATIONS.incrementAndGet();
  private final Timeline timeline;
  private final boolean tracked;
  private final Dependencies dependencies;
  private final @Nullable Throwable allocatedAt;

  /**
   * Creates a block that is just being allocated.
   *
   * @param ticket what every use waits for on {@code timeline}; 0 when it is ready at once
   * @param release frees the block that was closed while it was pinned; called without any lock
   * @param tracked whether its resource frees it only after its registered uses
   */
  Block(
      long address,
      long sizeInBytes,
      String tag,
      Timeline timeline,
      long ticket,
      Consumer<Block> release,
      boolean tracked,
      @Nullable Throwable allocatedAt) {
    this.address = address;
    this.sizeInBytes = sizeInBytes;
    this.tag = tag;
    this.timeline = timeline;
    this.tracked = tracked;
    this.dependencies =
        new Dependencies(generation, this, timeline, ticket, () -> release.accept(this));
    this.allocatedAt = allocatedAt;
  }

  /**
   * The device address of its first byte. Reading it orders nothing: whoever uses it has to
   * register the use.
   */
  public long address() {
    return address;
  }

  /** Size in bytes, at least 1. */
  public long sizeInBytes() {
    return sizeInBytes;
  }

  /** What it is for; may be empty. */
  public String tag() {
    return tag;
  }

  /** Its number, which no other block of this process has or will have. */
  public long generation() {
    return generation;
  }

  /** The stream that it was allocated on. */
  public Timeline timeline() {
    return timeline;
  }

  /** The number of its device. */
  public int deviceOrdinal() {
    return timeline.pool().driver().properties().ordinal();
  }

  /** Whether its resource frees it only after the uses that are registered on it. */
  public boolean isTracked() {
    return tracked;
  }

  /**
   * Refuses a use that relies on being registered.
   *
   * @param label what {@code labels} calls the block
   * @throws StreamMisuseException if nobody would wait for the use
   */
  public void requireTracked(UseLabels labels, int label) {
    if (!tracked) {
      throw new StreamMisuseException(
          labels.use(label)
              + " uses "
              + this
              + ", whose resource does not track uses; allocate it from one that does");
    }
  }

  /** Who has to be waited for before it is used. */
  public Dependencies dependencies() {
    return dependencies;
  }

  /** Where it was allocated, when that was traced. */
  public @Nullable Throwable allocatedAt() {
    return allocatedAt;
  }

  @Override
  public String toString() {
    return "block "
        + generation
        + (tag.isEmpty() ? "" : " '" + tag + "'")
        + " of "
        + sizeInBytes
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
