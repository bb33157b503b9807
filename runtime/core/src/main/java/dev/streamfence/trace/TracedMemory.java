package dev.streamfence.trace;

/**
 * One change of the device memory that arrays take. Immutable.
 *
 * @param device the runtime, as in {@link TracedWork#device}
 * @param nanos when, in nanoseconds from the beginning of the trace
 * @param change how many bytes were allocated, or minus the bytes of an array that was closed
 * @param liveBytes the bytes of all open arrays after that, since the beginning of the trace
 * @param tag the array's tag; may be empty
 * @param stream the stream that it was allocated on
 */
public record TracedMemory(
    String device, long nanos, long change, long liveBytes, String tag, int stream) {}
