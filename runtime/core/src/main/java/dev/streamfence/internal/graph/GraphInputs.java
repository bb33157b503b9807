package dev.streamfence.internal.graph;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.recording.GraphBindings;
import dev.streamfence.internal.recording.RecordedGraph;
import dev.streamfence.internal.recording.RecordedNode;
import dev.streamfence.internal.recording.RecordedNode.Range;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a graph, and what they are bound to. Confined to the thread that records, and to
 * the holder of the graph's lock afterwards.
 */
final class GraphInputs {
  /** An input. */
  static final class Input {
    private final String name;
    private final int number;
    private final TrackedArray<?> recorded;
    private final Region recordedRegion;
    private final BitSet nodes = new BitSet();
    private Region region;
    private boolean isWritten;

    /** The memory that is about to be used, while inputs are being bound; else null. */
    private @Nullable Region next;

    /** The array that has it. */
    private @Nullable TrackedArray<?> nextArray;

    /** Its place among the uses of the graph; -1 if no node uses it. */
    private int use = -1;

    private Input(String name, int number, TrackedArray<?> recorded, Region region) {
      this.name = name;
      this.number = number;
      this.recorded = recorded;
      this.recordedRegion = region;
      this.region = region;
    }

    /** The memory that is used now. */
    Region region() {
      return region;
    }

    /** The memory that is used after the inputs that are being bound. */
    private Region upcoming() {
      Region upcoming = next;
      return upcoming == null ? region : upcoming;
    }

    String name() {
      return name;
    }

    int use() {
      return use;
    }

    void setUse(int place) {
      use = place;
    }

    /** The memory that is about to be used; null if nothing else is. */
    @Nullable Region next() {
      return next;
    }

    /** Says what is about to be used; null if nothing else is. */
    void setNext(@Nullable TrackedArray<?> array, @Nullable Region upcoming) {
      nextArray = array;
      next = upcoming;
    }

    /** The nodes that use it. */
    BitSet nodes() {
      return nodes;
    }
  }

  private final TrackedRuntime runtime;
  private final RecordedGraph recording;
  private final GraphBindings bindings;
  private final Map<String, Input> inputs = new LinkedHashMap<>();

  /** By the numbers of their bindings. */
  private final List<Input> numbered = new ArrayList<>();

  /** All other memory that nodes use. */
  private final AddressUnion others = new AddressUnion();

  /** All other memory that nodes write. */
  private final AddressUnion otherWrites = new AddressUnion();

  GraphInputs(TrackedRuntime runtime, RecordedGraph recording) {
    this.runtime = runtime;
    this.recording = recording;
    this.bindings = recording.bindings();
  }

  /** The names, in the order of the recording. */
  List<String> names() {
    return List.copyOf(inputs.keySet());
  }

  /** Adds an input. */
  void add(String name, TrackedArray<?> array) {
    String words = words(name);
    Region region = array.region();
    if (inputs.containsKey(name)) {
      throw new IllegalArgumentException(words + " is there already");
    }
    requireHere(name, array);
    if (region == null || array.length() == 0) {
      throw new IllegalArgumentException(words + " is " + array + ", which has no elements");
    }
    if (!array.isOpen()) {
      throw array.useAfterFree(AttemptedUse.of(words));
    }
    region.hazards().requireUsable(words);
    if (region.hazards() != region.allocation().hazards()
        || region.sizeInBytes() != region.allocation().sizeInBytes()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.NOT_WHOLE,
          words + " is " + array + ", not a whole array; pass the array itself");
    }
    for (Input other : inputs.values()) {
      if (other.recordedRegion.overlaps(region)) {
        throw new IllegalArgumentException(
            words + " is " + array + ", which is input '" + other.name + "' as well");
      }
    }
    for (RecordedNode node : recording.nodes()) {
      for (Range range : node.ranges()) {
        if (range.address() >= region.address()
            && range.address() < region.address() + region.sizeInBytes()) {
          throw new IllegalArgumentException(
              words
                  + " is "
                  + array
                  + ", which "
                  + node.facts().name()
                  + " uses already; name an input before its first use");
        }
      }
    }
    recording.hold(region.hazards());
    int number = bindings.add(region.address(), region.sizeInBytes());
    Input added = new Input(name, number, array, region);
    inputs.put(name, added);
    numbered.add(added);
  }

  private String words(String input) {
    return "input '" + input + "' of " + recording;
  }

  private void requireHere(String input, TrackedArray<?> array) {
    if (array.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          words(input)
              + " is "
              + array
              + " of "
              + array.runtime()
              + "; the graph is of "
              + runtime);
    }
  }

  /** Finds the nodes of each input, once all are there. */
  void end() {
    for (RecordedNode node : recording.nodes()) {
      for (Range range : node.ranges()) {
        Input input = inputAt(range.address());
        if (input == null) {
          long address = bindings.translate(range.address());
          others.add(address, range.bytes());
          if (range.writes()) {
            otherWrites.add(address, range.bytes());
          }
        } else if (range.slot() == Range.FIXED) {
          throw new StreamMisuseException(
              StreamMisuseException.Misuse.INSIDE_GRAPH,
              "input '"
                  + input.name
                  + "' of "
                  + recording
                  + " is in a table, the host's side of a copy or the number of a condition in "
                  + node.facts().name()
                  + ", whose addresses stay; use another array there");
        } else {
          input.nodes.set(node.index());
          input.isWritten |= range.writes();
        }
      }
    }
  }

  private @Nullable Input inputAt(long address) {
    int number = bindings.inputAt(address);
    return number < 0 ? null : numbered.get(number);
  }

  /** How many inputs there are. */
  int count() {
    return numbered.size();
  }

  /** One of all inputs, in the order of the recording. */
  Input get(int number) {
    return numbered.get(number);
  }

  /** An input. */
  Input require(String name) {
    Input input = inputs.get(Objects.requireNonNull(name, "input"));
    if (input == null) {
      throw new IllegalArgumentException(
          recording + " has no input '" + name + "'; it has " + inputs.keySet());
    }
    return input;
  }

  /**
   * Checks an array that is to stand for an input.
   *
   * @param use a use of the input, for errors
   * @return its memory
   */
  Region check(Input input, TrackedArray<?> array, Function<Input, AttemptedUse> use) {
    requireHere(input.name, array);
    if (!array.elementType().equals(input.recorded.elementType())) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.ELEMENT_TYPE,
          use.apply(input),
          " is "
              + array
              + "; the graph was recorded with an array of "
              + input.recorded.elementType().typeName());
    }
    Region region = array.region();
    if (region == null || array.length() != input.recorded.length()) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.LENGTH,
          use.apply(input),
          " is "
              + array
              + "; the graph was recorded with "
              + input.recorded.length()
              + " elements, so record another one for other lengths");
    }
    if (input.isWritten && !(array instanceof WritableArray)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.READ_ONLY,
          use.apply(input),
          " is written, and " + array + " is read-only; bind a copy of it instead");
    }
    if (!array.isOpen()) {
      throw array.useAfterFree(use.apply(input));
    }
    UseLabels labels = () -> use.apply(input).toString();
    region.hazards().requireUsable(labels, 0);
    region.requireTracked(labels, 0);
    return region;
  }

  /** Refuses what is about to be used if other nodes use it as well: no edge orders them. */
  void requireApart(Input input, Function<Input, AttemptedUse> use) {
    Region region = input.next;
    if (region == null) {
      return;
    }
    TrackedArray<?> array = requireNonNull(input.nextArray);
    AddressUnion conflicting = input.isWritten ? others : otherWrites;
    if (conflicting.overlaps(region.address(), region.sizeInBytes())) {
      throw alias(array, use.apply(input), "other memory of the graph");
    }
    for (int i = 0; i < numbered.size(); i++) {
      Input other = numbered.get(i);
      if (other != input
          && (input.isWritten || other.isWritten)
          && other.upcoming().overlaps(region)) {
        throw alias(array, use.apply(input), "input '" + other.name + "'");
      }
    }
  }

  private static StreamMisuseException alias(
      TrackedArray<?> array, AttemptedUse use, String other) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.ALIAS,
        use,
        " is "
            + array
            + ", which shares memory with "
            + other
            + ", and one of them is written; bind another array, or record the graph with it");
  }

  /** Uses for an input what was about to be used. */
  void useNext(Input input) {
    Region region = requireNonNull(input.next);
    bindings.set(input.number, region.address(), requireNonNull(input.nextArray));
    input.region = region;
  }

  /** Says that nothing is about to be used. */
  void forgetNext() {
    for (int i = 0; i < numbered.size(); i++) {
      numbered.get(i).setNext(null, null);
    }
  }
}
