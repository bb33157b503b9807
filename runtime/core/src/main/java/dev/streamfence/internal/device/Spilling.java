package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Makes room in one memory: idle arrays leave the device when a request is refused. Thread-safe.
 */
final class Spilling {
  private final TrackedRuntime runtime;
  private final TrackedMemory memory;

  Spilling(TrackedRuntime runtime, TrackedMemory memory) {
    this.runtime = runtime;
    this.memory = memory;
  }

  /**
   * Makes a request, and spills idle arrays while it is refused.
   *
   * @param stream the order of their copies
   * @throws OutOfMemoryBudgetException if it is still refused, with the failures of spilling
   */
  <T> T orSpill(Supplier<DeviceStream> stream, Supplier<T> request) {
    return orSpill(stream, refusal -> true, request);
  }

  /**
   * Makes a request like {@link #orSpill(Supplier, Supplier)}.
   *
   * @param spills whether idle arrays are in the way of a refused request
   */
  <T> T orSpill(
      Supplier<DeviceStream> stream,
      Predicate<OutOfMemoryBudgetException> spills,
      Supplier<T> request) {
    List<Exception> failed = new ArrayList<>(0);
    while (true) {
      try {
        T result = request.get();
        failed.forEach(runtime.sticky()::swallowed);
        return result;
      } catch (OutOfMemoryBudgetException refusal) {
        if (!failed.isEmpty() || !spills.test(refusal) || !makeRoom(refusal, stream, failed)) {
          throw with(failed, refusal);
        }
      }
    }
  }

  private OutOfMemoryBudgetException with(
      List<Exception> failed, OutOfMemoryBudgetException refusal) {
    if (failed.isEmpty()) {
      return refusal;
    }
    // A lost device is not reported as out of memory.
    runtime.sticky().check();
    failed.forEach(each -> Suppressed.add(refusal, each));
    return refusal.after(String.valueOf(failed.get(0).getMessage()));
  }

  /**
   * Spills what a refused request lacks, from the budget that refuses it. A thread inside of an
   * operation, such as a launch, spills nothing.
   *
   * @param failed receives the failures
   * @return whether the request may fit now
   */
  boolean makeRoom(
      OutOfMemoryBudgetException refusal, Supplier<DeviceStream> stream, List<Exception> failed) {
    if (runtime.spills().isEmpty()
        || refusal.requested() > refusal.limit()
        || runtime.life().isEntered()) {
      return false;
    }
    long missing = refusal.requested() - (refusal.limit() - refusal.current());
    Account payer =
        refusal.isByDriver() ? runtime.memory().account() : memory.refuser(refusal.requested());
    if (payer == null) {
      return true;
    }
    return runtime.spills().spill(payer, Math.max(1, missing), stream.get(), failed) > 0;
  }

  /** Spills idle arrays of this memory; the first failure is thrown when all were tried. */
  long spill(DeviceStream stream, long bytes) {
    List<Exception> failed = new ArrayList<>(0);
    long spilled = runtime.spills().spill(memory.account(), bytes, stream, failed);
    Teardown failures = new Teardown();
    failed.forEach(failures::failed);
    failures.finish();
    return spilled;
  }
}
