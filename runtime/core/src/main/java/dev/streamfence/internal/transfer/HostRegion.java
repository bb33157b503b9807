package dev.streamfence.internal.transfer;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.order.HazardState;

/**
 * Some bytes of page-locked host memory, and the hazard state that orders their uses. Immutable and
 * thread-safe.
 *
 * @param offset of the first byte in the memory
 */
public record HostRegion(HostMemory memory, HazardState hazards, long offset) {}
