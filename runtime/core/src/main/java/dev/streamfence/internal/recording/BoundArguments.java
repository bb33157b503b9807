package dev.streamfence.internal.recording;

import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.recording.GraphBindings.Binding;
import dev.streamfence.internal.recording.RecordedNode.Range;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of a launch that is a node of a graph: those whose memory can be exchanged are
 * written whenever a driver reads them. Confined to the holder of the graph's lock.
 */
final class BoundArguments {
  private final List<Range> ranges;
  private final GraphBindings bindings;
  private final HostMemory memory;

  // The arguments whose memory can be exchanged: where each lies, its recorded address, and what
  // says which memory it is in now.
  private int[] slots = {};
  private long[] addresses = {};
  private Binding[] places = {};

  private boolean isFound;

  BoundArguments(List<Range> ranges, GraphBindings bindings, HostMemory memory) {
    this.ranges = ranges;
    this.bindings = bindings;
    this.memory = memory;
  }

  /** Writes the addresses of this moment. */
  void write() {
    if (!isFound) {
      // Only now: all inputs are there, and what stands for memory that was given up.
      find();
    }
    ByteBuffer buffer = memory.buffer();
    for (int i = 0; i < slots.length; i++) {
      buffer.putLong(slots[i], places[i].translate(addresses[i]));
    }
  }

  private void find() {
    List<Range> bound = new ArrayList<>();
    List<Binding> found = new ArrayList<>();
    for (Range range : ranges) {
      Binding binding = bindings.at(range.address());
      if (range.slot() >= 0 && binding != null) {
        bound.add(range);
        found.add(binding);
      }
    }
    slots = bound.stream().mapToInt(Range::slot).toArray();
    addresses = bound.stream().mapToLong(Range::address).toArray();
    places = found.toArray(new Binding[0]);
    isFound = true;
  }
}
