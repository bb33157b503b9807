package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.memory.AllocationLog;

/** The resources that keep the contract, alone and on top of each other. */
enum Composition {
  STREAM_ORDERED(false, false, false, false),
  DIRECT(true, false, false, false),
  GUARDED(false, true, false, false),
  GUARDED_DIRECT(true, true, false, false),
  LOGGED(false, false, true, false),
  BUDGETED(false, false, false, true),
  BUDGETED_DIRECT(true, false, false, true),
  EVERYTHING(false, true, true, true),
  EVERYTHING_DIRECT(true, true, true, true);

  static final long LIMIT = 64 << 20;

  private final boolean direct;
  private final boolean guarded;
  private final boolean logged;
  private final boolean budgeted;

  Composition(boolean direct, boolean guarded, boolean logged, boolean budgeted) {
    this.direct = direct;
    this.guarded = guarded;
    this.logged = logged;
    this.budgeted = budgeted;
  }

  /** The freed bytes that stay outstanding until a reap finds the device to be done with them. */
  long pending(long freed) {
    return direct && !guarded ? 0 : freed;
  }

  Stack over(StreamPool streams) {
    TrackedResource backend =
        direct
            ? UpstreamResource.direct(streams, true)
            : UpstreamResource.streamOrdered(streams, true);
    Stack stack = new Stack(streams, backend);
    if (guarded) {
      stack.guard(new GuardResource(stack.top(), streams, stack.reports::add));
    }
    if (logged) {
      stack.put(new LoggingResource(stack.top(), AllocationLog.inMemory()));
    }
    if (budgeted) {
      stack.put(new BudgetResource(stack.top(), LIMIT));
    }
    return stack;
  }
}
