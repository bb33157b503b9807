package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tables of device addresses in device memory, which kernels of one stream take as {@code T*
 * const*}. A table that was written before, and not overwritten since, is found again and costs no
 * driver call.
 *
 * <p>The tables lie one after another in a ring of device memory, see {@link AddressRing}. While
 * the copies to it lag behind, it is replaced by one of twice the size, up to {@link #MAX_BYTES};
 * only then the host waits. A launch places its tables between {@link #begin} and {@link #send}, or
 * {@link #drop}. Confined to the thread that holds the stream's submission lock, but for {@link
 * #close}.
 */
public final class AddressTables {
  static final int MIN_BYTES = 16 << 10;
  static final int MAX_BYTES = 1 << 20;

  /** A launch takes at most this part of the ring, so that it hardly waits for the one before. */
  private static final int SHARE = 4;

  /** As many as the largest host allocation has room for. */
  private static final int MAX_PER_LAUNCH = 1 << 25;

  private final CudaDriver driver;
  private final HostMemoryPool memory;
  private final Timeline timeline;
  private final Account account;
  private final Runnable makeRoom;

  /** Earlier rings; kernels that are queued may still use them. */
  private final List<AddressRing> replaced = new ArrayList<>();

  private @Nullable AddressRing ring;

  private String kernel = "";

  /** How many addresses the launch has not placed yet. */
  private int left;

  /** Whether the ring has room for them. */
  private boolean hasRoom;

  /**
   * Creates the tables of a stream; memory follows with the first of them.
   *
   * @param makeRoom returns unused memory to the driver, within a launch on the stream
   */
  public AddressTables(Timeline timeline, AllocationResource payer, Runnable makeRoom) {
    this.driver = timeline.pool().driver();
    this.memory = timeline.pool().hostMemory();
    this.timeline = timeline;
    this.account = payer.account();
    this.makeRoom = makeRoom;
  }

  /**
   * Begins the tables of one launch.
   *
   * @param addresses the length of all its tables together
   * @param kernel the name of the kernel, for errors
   * @throws IllegalArgumentException if there are too many
   */
  public void begin(int addresses, String kernel) {
    if (addresses > MAX_PER_LAUNCH) {
      throw new IllegalArgumentException(
          kernel + ": tables of " + addresses + " arrays; a launch has at most " + MAX_PER_LAUNCH);
    }
    this.kernel = kernel;
    // Of an earlier attempt, if preflight was refused and is repeated.
    drop();
    left = addresses;
    hasRoom = false;
  }

  /**
   * Places a table, which {@link #send} writes unless it was written before.
   *
   * @param addresses holds the table
   * @param from where the table begins there
   * @param count its length, at least 1
   * @return its device address
   * @throws OutOfMemoryBudgetException if there is no memory for it; earlier tables remain
   */
  public long place(long[] addresses, int from, int count) {
    AddressRing current = ring;
    long known = current == null ? 0 : current.find(addresses, from, count, left);
    if (known == 0) {
      current = hasRoom ? requireNonNull(current) : withRoom();
      known = current.put(addresses, from, count);
    }
    left -= count;
    return requireNonNull(current).address(known);
  }

  /**
   * Queues the copy of the tables that were placed and not written before.
   *
   * @param ticket the ticket of the launch that uses them
   * @return their bytes
   */
  public long send(long ticket) {
    AddressRing current = ring;
    return current == null ? 0 : current.send(ticket, timeline, driver);
  }

  /** Forgets the tables that were placed and not sent. */
  public void drop() {
    AddressRing current = ring;
    if (current != null) {
      current.drop();
    }
  }

  /** Frees the memory, with which the device is done; what the driver refuses, at the next call. */
  public void close(Teardown teardown) {
    AddressRing current = ring;
    ring = null;
    if (current != null) {
      replaced.add(current);
    }
    for (AddressRing each : List.copyOf(replaced)) {
      teardown.step(
          () -> {
            each.free(driver, memory);
            replaced.remove(each);
            account.withdrawKept(each.sizeInBytes());
          });
    }
  }

  /** The ring with room for what is left of the launch, one table after the other. */
  private AddressRing withRoom() {
    AddressRing current = ring;
    int capacity = powerOfTwo(Math.max(MIN_BYTES / Long.BYTES, left * SHARE));
    if (current == null || current.capacity() < capacity) {
      current = required(current, capacity);
    }
    while (!current.makeRoom(left, timeline, false)) {
      AddressRing larger = larger(current);
      if (larger == null) {
        current.makeRoom(left, timeline, true);
        break;
      }
      current = larger;
    }
    hasRoom = true;
    return current;
  }

  /** A larger ring; null if the present one is to be waited for instead. */
  private @Nullable AddressRing larger(AddressRing current) {
    if (current.sizeInBytes() >= MAX_BYTES) {
      return null;
    }
    try {
      return replace(current, current.capacity() * 2);
    } catch (OutOfMemoryBudgetException | CudaDriverException e) {
      // Without more memory, the launch waits for earlier ones; a lost device fails it there.
      return null;
    }
  }

  /** A ring without which there is no launch, also if the device is full of unused memory. */
  private AddressRing required(@Nullable AddressRing current, int capacity) {
    try {
      return replace(current, capacity);
    } catch (CudaDriverException e) {
      if (e.code() != TrackedResource.OUT_OF_MEMORY) {
        throw e;
      }
    }
    return TrackedResource.again(() -> replace(current, capacity), makeRoom);
  }

  private AddressRing replace(@Nullable AddressRing current, int capacity) {
    AddressRing fresh = allocate(capacity);
    if (current != null) {
      replaced.add(current);
    }
    ring = fresh;
    return fresh;
  }

  private AddressRing allocate(int capacity) {
    long bytes = (long) capacity * Long.BYTES;
    String purpose = "tables of addresses of " + kernel + " on " + timeline;
    account.promise(bytes, purpose);
    HostMemory host = null;
    try {
      host = memory.take(bytes);
      AddressRing fresh = new AddressRing(capacity, host, driver.allocate(bytes));
      account.keep(bytes);
      return fresh;
    } catch (CudaDriverException e) {
      undo(bytes, host, e);
      throw e.during(purpose);
    } catch (RuntimeException | Error e) {
      undo(bytes, host, e);
      throw e;
    }
  }

  private void undo(long bytes, @Nullable HostMemory host, Throwable failure) {
    account.withdrawPromise(bytes);
    if (host != null) {
      try {
        memory.giveBack(host);
      } catch (RuntimeException | Error kept) {
        Suppressed.add(failure, kept);
      }
    }
  }

  /** The least power of two that is not less. */
  private static int powerOfTwo(int least) {
    return least == 1 ? 1 : Integer.highestOneBit(least - 1) << 1;
  }
}
