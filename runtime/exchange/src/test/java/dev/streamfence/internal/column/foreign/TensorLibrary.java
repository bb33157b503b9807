package dev.streamfence.internal.column.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Callback;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.CLibrary;
import java.util.function.LongConsumer;

/** A tensor library in C. Tests of one process share it, one at a time. */
final class TensorLibrary {
  /** Is told of each deletion, with the address of the tensor's memory. */
  interface Deletions extends Callback {
    void deleted(long data);
  }

  static final int CUDA = 2;
  static final long READ_ONLY = 1;

  private static final class Loaded {
    static final CLibrary LIBRARY = CLibrary.load("tensors.c");
  }

  private final CLibrary library = Loaded.LIBRARY;
  private final int before = library.callInt("deleted");

  /** Kept here, as the library calls it. */
  private final Deletions deletions;

  /**
   * Uses the library.
   *
   * @param deleted is called by each deleter
   */
  TensorLibrary(LongConsumer deleted) {
    deletions = deleted::accept;
    library.callInt("notify_of_deletions", deletions);
  }

  /** How many tensors were deleted since this was created. */
  int deletions() {
    return library.callInt("deleted") - before;
  }

  /** Waits for so many deletions, which the thread of the completions carries out. */
  void awaitDeletions(int count) throws InterruptedException {
    for (int i = 0; deletions() < count && i < 10_000; i++) {
      Thread.sleep(1);
    }
    assertThat(deletions()).isEqualTo(count);
  }

  /** A matrix of floats on a device. */
  long legacy(long data, int device, long rows, long columns) {
    return library.callAddress("make_legacy", new Pointer(data), CUDA, device, rows, columns);
  }

  /** A matrix of floats on device 0, with flags. */
  long versioned(long data, long rows, long columns, long flags) {
    return library.callAddress("make_versioned", new Pointer(data), CUDA, 0, rows, columns, flags);
  }

  /** A vector of floats on device 0, with flags. */
  long vector(long data, long length, long flags) {
    return library.callAddress("make_vector", new Pointer(data), length, flags);
  }

  /** Deletes tensors on threads that Java does not know. */
  void deleteOnThreads(long... tensors) {
    try (Memory addresses = new Memory(8L * tensors.length)) {
      addresses.write(0, tensors, 0, tensors.length);
      library.callInt("delete_on_threads", addresses, tensors.length);
    }
  }
}
