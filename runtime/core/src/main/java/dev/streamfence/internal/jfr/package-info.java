/**
 * The events for JDK Flight Recorder, which any room may emit. Internal. Not here: whoever decides
 * when. Every class but {@link dev.streamfence.internal.jfr.FlightEvents} needs the module {@code
 * jdk.jfr}, which a small run-time image may lack.
 */
@NullMarked
package dev.streamfence.internal.jfr;

import org.jspecify.annotations.NullMarked;
