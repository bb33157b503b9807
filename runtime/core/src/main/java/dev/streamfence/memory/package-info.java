/**
 * Where device memory comes from and what it is counted in: resources, budgets, reservations,
 * statistics and logs. Not here: arrays.
 */
@NullMarked
package dev.streamfence.memory;

import org.jspecify.annotations.NullMarked;
