/**
 * The sources of device memory and the accounts of it: resources, budgets, reservations, statistics
 * and logs. Not here: arrays.
 */
@NullMarked
package dev.streamfence.memory;

import org.jspecify.annotations.NullMarked;
