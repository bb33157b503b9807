package dev.streamfence.internal.launch;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.KernelArgumentException.Mistake;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.recording.RecordedNode;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a launch that is a node of a graph: each can be changed between runs, and is
 * checked as for a launch. Confined to the holder of the graph's lock.
 */
final class NodeNumbers implements RecordedNode.Numbers {
  /** A parameter that takes a number, and where it lies among the arguments. Immutable. */
  record Place(ElementType type, boolean isCount, int offset) {}

  private final LoadedKernel kernel;
  private final KernelLaunch launch;
  private final ArgumentFrame frame;
  private final Map<String, Place> places;
  private final ArrayArguments arrays;

  /** Made for the first number that changes; null if nothing is checked. */
  private @Nullable BoundsCheck bounds;

  /**
   * Creates the numbers of a node.
   *
   * @param launch the node's own
   * @param frame its arguments
   * @param places by the names of the parameters, in their order
   * @param arrays those that it was recorded with; others of the same lengths may be used instead
   */
  NodeNumbers(
      LoadedKernel kernel,
      KernelLaunch launch,
      ArgumentFrame frame,
      Map<String, Place> places,
      ArrayArguments arrays) {
    this.kernel = kernel;
    this.launch = launch;
    this.frame = frame;
    this.places = places;
    this.arrays = arrays;
  }

  @Override
  public Map<String, Object> all() {
    Map<String, Object> all = new LinkedHashMap<>();
    places.forEach((name, place) -> all.put(name, number(place.type(), read(place))));
    return all;
  }

  /** A number of which the lowest bits are given. */
  private static Object number(ElementType type, long bits) {
    return switch (type) {
      case BOOLEAN -> (byte) bits != 0;
      case BYTE -> (byte) bits;
      case CHAR -> (char) bits;
      case SHORT -> (short) bits;
      case INT -> (int) bits;
      case LONG -> bits;
      case FLOAT -> Float.intBitsToFloat((int) bits);
      case DOUBLE -> Double.longBitsToDouble(bits);
    };
  }

  @Override
  public boolean set(String parameter, Object value) {
    Place place = places.get(parameter);
    String entry = kernel.signature().entry();
    if (place == null) {
      throw new IllegalArgumentException(
          entry + " has no number '" + parameter + "'; it has " + places.keySet());
    }
    AttemptedUse use = AttemptedUse.ofParameter(entry, parameter);
    long bits = bits(place, value, use);
    long before = read(place);
    if (bits == before) {
      return false;
    }
    int gridBefore = launch.gridX();
    boolean isTaken = false;
    try {
      write(place, bits);
      if (place.isCount()) {
        count(bits, use);
      }
      checkBounds();
      isTaken = true;
    } finally {
      if (!isTaken) {
        write(place, before);
        launch.grid(gridBefore, launch.gridY(), launch.gridZ());
      }
    }
    return true;
  }

  private void count(long threads, AttemptedUse use) {
    if (threads < 1) {
      throw new KernelArgumentException(
          Mistake.NUMBER, use, " is " + threads + "; a node of a graph has at least 1 thread");
    }
    kernel.shape(launch, threads);
    kernel.requireLaunchable(launch);
  }

  private void checkBounds() {
    LoadedBounds known = kernel.bounds();
    if (bounds == null && known != null) {
      bounds = new BoundsCheck(known, launch, frame, arrays);
    }
    if (bounds != null) {
      bounds.check();
    }
  }

  /** A number as it lies in memory; refused unless it is of the parameter's type. */
  private static long bits(Place place, Object value, AttemptedUse use) {
    ElementType type = place.type();
    if (!MethodType.methodType(type.primitive()).wrap().returnType().isInstance(value)) {
      throw new KernelArgumentException(
          Mistake.UNEXPECTED,
          use,
          " is "
              + KernelParameter.inWords(type)
              + "; "
              + value.getClass().getSimpleName()
              + " "
              + value
              + " was passed");
    }
    return switch (type) {
      case BOOLEAN -> (Boolean) value ? 1 : 0;
      case CHAR -> (short) ((Character) value).charValue();
      case FLOAT -> Float.floatToRawIntBits((Float) value);
      case DOUBLE -> Double.doubleToRawLongBits((Double) value);
      case BYTE, SHORT, INT, LONG -> ((Number) value).longValue();
    };
  }

  private long read(Place place) {
    return frame.number(place.offset(), place.type().sizeInBytes());
  }

  private void write(Place place, long bits) {
    switch (place.type().sizeInBytes()) {
      case Byte.BYTES -> frame.put(place.offset(), (byte) bits);
      case Short.BYTES -> frame.put(place.offset(), (short) bits);
      case Integer.BYTES -> frame.put(place.offset(), (int) bits);
      default -> frame.put(place.offset(), bits);
    }
  }
}
