package dev.streamfence.internal.memory;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.Timeline;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A ring of device memory for tables of addresses, and the same bytes in page-locked memory, from
 * which they are copied in the order of one stream. A kernel of the stream that uses an overwritten
 * table is queued before the copy that overwrites it. The host overwrites its own bytes only when
 * their last copy is done.
 *
 * <p>A position counts all addresses that were ever put, and all that were skipped; its place in
 * the ring is its remainder. Confined to the thread that holds the stream's submission lock.
 */
final class AddressRing {
  /** Pieces of the ring whose last copies are told apart. */
  private static final int SEGMENTS = 8;

  /** One entry of the index for so many addresses of the ring. */
  private static final int ADDRESSES_PER_ENTRY = 2;

  /** How many entries a table may lie in, by its hash. */
  private static final int WAYS = 8;

  private final int capacity;
  private final int segment;
  private final HostMemory host;
  private final long device;
  private final ByteBuffer bytes;

  /** For each segment, the ticket of the last launch that copied from it. */
  private final long[] copiedBy = new long[SEGMENTS];

  /**
   * Positions of tables by a hash of their content. A later table takes the place of the earliest
   * one, and a stale entry does no harm, since the content is compared. 0 stands for no table.
   */
  private final long[] index;

  /** The position after the last table that was sent. */
  private long sent;

  /** The position after the last table that was put. */
  private long head;

  /** The position after the last address that the host has ever written. */
  private long written;

  /** The position up to which the host may write. */
  private long writable;

  /**
   * Creates an empty ring.
   *
   * @param capacity in addresses; a power of two, at least {@value #SEGMENTS}
   * @param device the device address of so many addresses
   */
  AddressRing(int capacity, HostMemory host, long device) {
    this.capacity = capacity;
    this.segment = capacity / SEGMENTS;
    this.host = host;
    this.device = device;
    this.bytes = host.buffer();
    this.index = new long[Math.max(1, capacity / ADDRESSES_PER_ENTRY)];
    // No table is at position 0.
    sent = capacity;
    head = capacity;
    written = capacity;
    writable = 2L * capacity;
  }

  int capacity() {
    return capacity;
  }

  long sizeInBytes() {
    return (long) capacity * Long.BYTES;
  }

  /** The device address of a position. */
  long address(long position) {
    return device + (long) place(position) * Long.BYTES;
  }

  /**
   * The position of a table that was put and is not overwritten; 0 if there is none.
   *
   * @param left how many addresses the launch has still to place, this table included: with what is
   *     skipped at the end of the ring, they may overwrite twice as many
   */
  long find(long[] addresses, int from, int count, int left) {
    int entry = entry(addresses, from, count);
    for (int way = 0; way < WAYS; way++) {
      long position = index[(entry + way) & (index.length - 1)];
      if (isAt(position, addresses, from, count, left)) {
        return position;
      }
    }
    return 0;
  }

  private boolean isAt(long position, long[] addresses, int from, int count, int left) {
    if (position == 0
        || position < Math.max(written, head + 2L * left) - capacity
        || position + count > head
        || place(position) + count > capacity) {
      return false;
    }
    int at = place(position) * Long.BYTES;
    for (int i = 0; i < count; i++) {
      if (bytes.getLong(at + i * Long.BYTES) != addresses[from + i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Makes room for so many addresses in a row, behind everything that was sent.
   *
   * @param waits whether to wait for earlier copies, which may read the host's bytes
   * @return whether there is room
   */
  boolean makeRoom(int count, Timeline timeline, boolean waits) {
    int place = place(head);
    long begin = place + count <= capacity ? head : head + capacity - place;
    while (begin + count > writable) {
      long ticket = copiedBy[place(writable) / segment];
      if (waits) {
        timeline.awaitDone(ticket, "writing a table of addresses");
      } else if (!timeline.isDone(ticket)) {
        return false;
      }
      writable += segment;
    }
    head = begin;
    sent = begin;
    return true;
  }

  /** Puts a table into the room that was made; returns its position. */
  long put(long[] addresses, int from, int count) {
    long position = head;
    int at = place(position) * Long.BYTES;
    for (int i = 0; i < count; i++) {
      bytes.putLong(at + i * Long.BYTES, addresses[from + i]);
    }
    head = position + count;
    written = Math.max(written, head);
    int entry = entry(addresses, from, count);
    int earliest = entry;
    for (int way = 1; way < WAYS; way++) {
      int next = (entry + way) & (index.length - 1);
      earliest = index[next] < index[earliest] ? next : earliest;
    }
    index[earliest] = position;
    return position;
  }

  /** Queues one copy of everything that was put and not sent; returns its bytes. */
  long send(long ticket, Timeline timeline, CudaDriver driver) {
    int count = (int) (head - sent);
    if (count == 0) {
      return 0;
    }
    int place = place(sent);
    for (int i = place / segment; i <= (place + count - 1) / segment; i++) {
      copiedBy[i] = ticket;
    }
    boolean isQueued = false;
    try {
      driver.copyToDeviceAsync(
          address(sent),
          host,
          (long) place * Long.BYTES,
          (long) count * Long.BYTES,
          timeline.stream());
      isQueued = true;
    } finally {
      if (!isQueued) {
        // The device may or may not have these tables.
        Arrays.fill(index, 0);
      }
      sent = head;
    }
    return (long) count * Long.BYTES;
  }

  /** Forgets what was put and not sent. */
  void drop() {
    if (head != sent) {
      // The device does not have these tables, and their positions will count as sent.
      Arrays.fill(index, 0);
      head = sent;
    }
  }

  /** Frees the memory on the device, and gives that of the host back. */
  void free(CudaDriver driver, HostMemoryPool memory) {
    driver.free(device);
    memory.giveBack(host);
  }

  private int place(long position) {
    return (int) (position & (capacity - 1));
  }

  private int entry(long[] addresses, int from, int count) {
    long hash = count;
    for (int i = from; i < from + count; i++) {
      // Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio.
      hash = (hash ^ addresses[i]) * 0x9E3779B97F4A7C15L;
    }
    return (int) (hash >>> 32) & (index.length - 1);
  }
}
