package dev.streamfence.internal.ptx.analysis;

/** A property that a kernel's code needs its launches to have. */
public enum LaunchNeed {
  /** All blocks run at the same time: the code waits for all blocks of the grid. */
  COOPERATIVE,
  /** The block has dynamic shared memory: the code uses it, or asks for its size. */
  DYNAMIC_SHARED,
  /** Blocks run in clusters: the code uses them, and does not say how large they are. */
  CLUSTER,
  /** The block's threads fill warp groups: instructions of the code take whole ones. */
  WARP_GROUPS
}
