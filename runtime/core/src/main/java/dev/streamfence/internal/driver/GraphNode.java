package dev.streamfence.internal.driver;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One launch, copy, fill or condition of a graph. Thread-safe if the caller changes no argument
 * while a driver uses it.
 */
public interface GraphNode {
  /** The nodes that come before it, by their place in the list; all of them are earlier there. */
  int[] after();

  /** What it repeats or leaves out, and makes no call then; null if it makes one. */
  default @Nullable GraphCondition condition() {
    return null;
  }

  /**
   * Makes its one call, with the arguments of this moment.
   *
   * @param stream passed on to the call; a driver that builds a graph ignores it
   */
  void put(Sink sink, StreamHandle stream);

  /** Kernel and graph, or what it copies or fills, for reports. */
  String purpose();

  /** What a launch declares at this moment, see {@link LaunchObserver#launching}; else empty. */
  List<LaunchObserver.Use> uses();
}
