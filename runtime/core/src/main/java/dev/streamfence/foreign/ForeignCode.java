package dev.streamfence.foreign;

import dev.streamfence.DeviceStream;

/**
 * Code that queues work on a stream itself, see {@link DeviceStream#submit}.
 *
 * @param <X> the checked exception that it may throw; {@link RuntimeException} if none
 */
@FunctionalInterface
public interface ForeignCode<X extends Exception> {
  /** Queues the work on the stream of the call. Need not wait for it. */
  void run(ForeignCall call) throws X;
}
