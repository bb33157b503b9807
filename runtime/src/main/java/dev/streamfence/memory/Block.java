package dev.streamfence.memory;

import dev.streamfence.stream.Dependencies;
import dev.streamfence.stream.Timeline;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One allocation of device memory that the runtime tracks. Its address may be used again after it
 * is freed; its generation never is. Immutable but for its {@link #dependencies}, and thread-safe.
 */
public final class Block {
  /** Process-wide, so that a number names one block whatever device or runtime it came from. */
  private static final AtomicLong GENERATIONS = new AtomicLong();

  private final long address;
  private final long sizeInBytes;
  private final String tag;
  private final long generation = GENERATIONS.incrementAndGet();
  private final Dependencies dependencies;
  private final @Nullable Throwable allocatedAt;

  Block(
      long address,
      long sizeInBytes,
      String tag,
      Timeline timeline,
      long ticket,
      Consumer<Block> release,
      boolean tracing) {
    this.address = address;
    this.sizeInBytes = sizeInBytes;
    this.tag = tag;
    this.dependencies =
        new Dependencies(generation, this, timeline, ticket, () -> release.accept(this));
    this.allocatedAt = tracing ? new AllocatedHere() : null;
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
