package dev.streamfence.internal.transfer;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.ContextHandle;
import dev.streamfence.internal.memory.PeerAccess;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.trace.WorkKind;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** Copies from other devices to one, each ordered on both. Thread-safe. */
public final class PeerCopies {
  private final StreamPool streams;
  private final PeerAccess access;

  /** The devices whose memory the driver was asked for access to, successfully or not. */
  private final Set<ContextHandle> asked =
      Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

  /**
   * Creates the copies to the device of a pool.
   *
   * @param access its access to other devices, which makes copies faster
   */
  public PeerCopies(StreamPool streams, PeerAccess access) {
    this.streams = streams;
    this.access = access;
  }

  /**
   * Copies from another device. Does not synchronise.
   *
   * @param sources the streams of the source's device, a peer
   * @throws CudaDriverException if either device is lost, which the message then names, or a driver
   *     call fails
   */
  public void copy(StreamPool sources, Region source, Timeline timeline, Region target) {
    CudaDriver driver = streams.driver();
    CudaDriver other = sources.driver();
    Labels labels = new Labels(source, other, target, timeline);
    source.requireTracked(labels, 0);
    target.requireTracked(labels, 0);
    askForAccess(other, labels);
    sources.requireUsable(labels);
    streams.requireUsable(labels);
    timeline.submit(
        Work.of(
            labels,
            submission -> {
              submission.use(target.hazards(), false, true, 0);
              submission.usePeer(sources, source.hazards(), true, false, 0);
            },
            submission ->
                driver.copyFromPeerAsync(
                    target.address(),
                    other.context(),
                    source.address(),
                    target.sizeInBytes(),
                    submission.stream())));
  }

  /** Without access, copies go through the host: slower, and otherwise the same. */
  private void askForAccess(CudaDriver source, Labels labels) {
    if (!asked.add(source.context())) {
      return;
    }
    try {
      access.isOn(source);
    } catch (DeviceException e) {
      if (e instanceof CudaDriverException refused) {
        refused.during(labels.purpose());
      }
      LogTopic.DEVICES.warn(
          "copies from device "
              + source.properties().ordinal()
              + " to device "
              + streams.driver().properties().ordinal()
              + " go through the host",
          e);
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
          + " bytes "
          + devices()
          + ", from "
          + source.begin()
          + " to "
          + target.begin()
          + " on "
          + timeline;
    }
  }
}
