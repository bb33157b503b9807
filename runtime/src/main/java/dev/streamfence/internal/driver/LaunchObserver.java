package dev.streamfence.internal.driver;

import java.util.List;

/**
 * Receives what launches declare about their use of memory. A driver that verifies declarations has
 * one. Thread-safe.
 */
public interface LaunchObserver {
  /**
   * The declared use of one range of device memory. Immutable.
   *
   * @param parameter the kernel's parameter
   * @param address the first byte
   * @param bytes how many bytes; 0 for an untracked address, which stands for the whole allocation
   *     around it
   * @param reads whether the kernel may load from it before it stores there
   * @param writes whether the kernel may store to it
   */
  record Use(String parameter, long address, long bytes, boolean reads, boolean writes) {}

  /**
   * Receives the uses of the calling thread's next launch on a stream. Called right before {@link
   * CudaDriver#launchKernel}, which is skipped if this throws; not called for an empty grid, which
   * launches nothing.
   *
   * @param purpose kernel and stream, for reports
   * @param stream the stream of the launch
   * @param ticket the launch's ticket, at least 1
   * @param uses one per address parameter, in parameter order, without empty arrays; the observer
   *     keeps the list
   */
  void launching(String purpose, CudaDriver.StreamHandle stream, long ticket, List<Use> uses);
}
