/**
 * Copies between host memory and a device, within a device and between devices, fills, and the
 * page-locked memory that pageable data goes through. Not here: allocations, Java arrays and
 * buffers as {@link dev.streamfence.internal.transfer.HostBytes}, and the pinned arrays of users.
 */
@NullMarked
package dev.streamfence.internal.transfer;

import org.jspecify.annotations.NullMarked;
