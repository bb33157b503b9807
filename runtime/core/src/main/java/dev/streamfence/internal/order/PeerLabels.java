package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;

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
    return elsewhere.facts();
  }
}
