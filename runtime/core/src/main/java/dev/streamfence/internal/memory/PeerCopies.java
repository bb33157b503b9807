package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ContextHandle;
import dev.streamfence.internal.order.PeerWork;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.trace.WorkKind;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** Copies from other devices to one, each ordered on both as {@link PeerWork}. Thread-safe. */
public final class PeerCopies {
  /** {@code CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED}: by another runtime or library. */
  private static final int ALREADY_ENABLED = 704;

  private final CudaDriver driver;

  /** The devices whose memory the driver was asked for access to, successfully or not. */
  private final Set<ContextHandle> asked =
      Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

  /** Creates the copies to the device of a pool. */
  public PeerCopies(StreamPool streams) {
    this.driver = streams.driver();
  }

  /**
   * Copies from another device. Does not synchronise.
   *
   * @param sources the streams of the source's device, a peer
   * @param isSourceFirst whether that comes before the target's device in their order
   * @throws CudaDriverException if either device is lost, which the message then names, or a driver
   *     call fails
   */
  public void copy(
      StreamPool sources, Region source, Timeline timeline, Region target, boolean isSourceFirst) {
    Labels labels = new Labels(source, sources.driver(), target, timeline);
    source.requireTracked(labels, 0);
    target.requireTracked(labels, 0);
    askForAccess(sources.driver());
    requireUsable(sources.driver(), labels);
    requireUsable(driver, labels);
    ContextHandle from = sources.driver().context();
    new PeerWork(
            labels,
            source.hazards(),
            target.hazards(),
            writing ->
                driver.copyFromPeerAsync(
                    target.address(),
                    from,
                    source.address(),
                    target.sizeInBytes(),
                    writing.stream()))
        .submit(sources, timeline, isSourceFirst);
  }

  /** Says which of the two devices is lost. */
  private static void requireUsable(CudaDriver needed, Labels labels) {
    try {
      needed.sticky().check();
    } catch (CudaDriverException e) {
      CudaDriverException first = needed.sticky().error();
      throw first == null
          ? e
          : first.again(
              "device " + needed.properties().ordinal() + ", for the " + labels.purpose());
    }
  }

  /** Without access, copies go through the host: slower, and otherwise the same. */
  private void askForAccess(CudaDriver source) {
    if (!asked.add(source.context())) {
      return;
    }
    try {
      if (driver.canAccessPeer(source.context())) {
        enableAccess(source.context());
        source.sharePool(driver.context());
      }
    } catch (DeviceException e) {
      LogTopic.DEVICES.warn(
          "copies from device "
              + source.properties().ordinal()
              + " to device "
              + driver.properties().ordinal()
              + " go through the host",
          e);
    }
  }

  private void enableAccess(ContextHandle source) {
    try {
      driver.enablePeerAccess(source);
    } catch (CudaDriverException e) {
      if (e.code() != ALREADY_ENABLED) {
        throw e;
      }
    }
  }

  /** How errors and observers of both devices name a copy. */
  private record Labels(Region source, CudaDriver from, Region target, Timeline timeline)
      implements UseLabels {
    @Override
    public WorkFacts facts() {
      return new WorkFacts(WorkKind.COPY, WorkKind.COPY.inWords(), target.sizeInBytes(), devices());
    }

    private String devices() {
      return "from device "
          + from.properties().ordinal()
          + " to device "
          + timeline.pool().driver().properties().ordinal();
    }

    @Override
    public String purpose() {
      return "copy of "
          + target.sizeInBytes()
          + " bytes from "
          + source.begin()
          + " to "
          + target.begin()
          + " on "
          + timeline
          + ", "
          + devices();
    }
  }
}
