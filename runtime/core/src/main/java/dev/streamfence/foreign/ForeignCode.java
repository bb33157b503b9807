package dev.streamfence.foreign;

import dev.streamfence.DeviceStream;

/**
 * Code that puts work on a stream by itself, see {@link DeviceStream#submit}.
 *
 * @param <X> what it may throw; {@link RuntimeException} if that is nothing special
 */
@FunctionalInterface
public interface ForeignCode<X extends Exception> {
  /** Puts the work on the stream of the call. Need not wait for it. */
  void run(ForeignCall call) throws X;
}
