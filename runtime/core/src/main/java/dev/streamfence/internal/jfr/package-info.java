/**
 * The events for JDK Flight Recorder; every package of the runtime may emit them. Internal. Not
 * here: the decision when to emit one. Every class but {@link
 * dev.streamfence.internal.jfr.FlightEvents} needs the module {@code jdk.jfr}, which a small
 * run-time image may lack.
 */
@NullMarked
package dev.streamfence.internal.jfr;

import org.jspecify.annotations.NullMarked;
