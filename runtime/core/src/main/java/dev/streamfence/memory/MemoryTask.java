package dev.streamfence.memory;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.internal.pressure.NestedTask;
import dev.streamfence.internal.pressure.PressureTask;

/**
 * A piece of work that shares the memory of a runtime with others: while it is open, the requests
 * for arrays and reservations by the thread that opened it wait for memory instead of being
 * refused. Confined to that thread.
 *
 * <p>Tasks of a higher priority get memory first, and among those of one priority the one that was
 * opened first. A task that has no memory waits behind each such task that waits for the same
 * budget; one that has memory passes by those that have waited only for a moment, since it has to
 * end to give its memory back. Threads without a task never wait, and pass by all that do.
 *
 * <p>A wait ends in one of these ways:
 *
 * <ul>
 *   <li>there is enough memory;
 *   <li>all tasks wait, and this one has to give way: {@link RetryAllocationException};
 *   <li>all tasks wait, this one is the first of them, and no other can give anything back, or the
 *       request exceeds its budget: {@link SplitAndRetryException};
 *   <li>it took longer than the task's patience, or the thread is interrupted, which it then stays:
 *       {@link OutOfMemoryBudgetException}, which says which tasks have how much memory;
 *   <li>the runtime is closed, or the device lost, with the exceptions of that.
 * </ul>
 *
 * <p>Inside of a launch, a call of {@code submit}, the code of a graph or an access to a pinned
 * array, requests do not wait: other threads may be waiting for the end of that.
 */
public sealed interface MemoryTask extends AutoCloseable permits PressureTask, NestedTask {
  /** Higher is more important; 0 by default. */
  int priority();

  /**
   * Bytes of the open arrays and reservations that the task has, also of those that it passed to
   * another thread, and of the spillable arrays that it uses.
   */
  long heldBytes();

  /**
   * Waits after a {@link RetryAllocationException} until the memory that the task had, and that it
   * asked for, is free, or no other task can go on. Returns at once if the task was not told to
   * give way.
   *
   * @throws OutOfMemoryBudgetException if that takes longer than the task's patience, or the thread
   *     is interrupted
   * @throws dev.streamfence.RuntimeClosedException if the runtime is closed
   * @throws dev.streamfence.CudaDriverException if the device is lost
   * @throws IllegalStateException in another thread than that of the task
   */
  void awaitTurn();

  /**
   * Ends the task; its arrays stay open. Closing again does nothing.
   *
   * @throws IllegalStateException in another thread than that of the task
   */
  @Override
  void close();
}
