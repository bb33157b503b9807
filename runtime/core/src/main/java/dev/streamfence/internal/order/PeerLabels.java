package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.trace.WorkKind;

/** How a device names work of another one that uses its memory. Immutable. */
record PeerLabels(UseLabels elsewhere, int device) implements UseLabels {
  @Override
  public String purpose() {
    return elsewhere.purpose() + " of device " + device;
  }

  @Override
  public AttemptedUse use(int label) {
    return elsewhere.use(label);
  }

  @Override
  public WorkFacts facts() {
    WorkFacts there = elsewhere.facts();
    String place = " on device " + device;
    // Of no kind that is measured: this device does none of the work.
    return new WorkFacts(
        WorkKind.OTHER,
        there.name() + place,
        there.qualifiedName() + place,
        0,
        "this stream waits for it, since it uses memory of this device",
        null);
  }
}
