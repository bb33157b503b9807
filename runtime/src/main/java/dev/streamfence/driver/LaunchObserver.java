package dev.streamfence.driver;

import java.util.List;

/**
 * Wants to know what launches declare about their use of memory; a driver that verifies it has one.
 * Thread-safe.
 */
public interface LaunchObserver {
  /**
   * The declared use of one range of device memory. Immutable.
   *
   * @param parameter the kernel's parameter
   * @param address the first byte
   * @param bytes how many bytes; 0 for an address that nobody tracks, which stands for the whole
   *     allocation around it
   * @param reads whether the kernel may load from it before it stores there
   * @param writes whether the kernel may store to it
   */
  record Use(String parameter, long address, long bytes, boolean reads, boolean writes) {}

  /**
   * Says what the next launch of the calling thread on a stream uses. Called right before {@link
   * CudaDriver#launchKernel}, which is not called if this throws; not for an empty grid, which
   * launches nothing.
   *
   * @param purpose kernel and stream, for reports
   * @param stream the stream of the launch
   * @param ticket the launch's ticket, at least 1
   * @param uses one per parameter that is an address, in their order, without those of empty
   *     arrays; kept by the observer
   */
  void launching(String purpose, CudaDriver.StreamHandle stream, long ticket, List<Use> uses);
}
