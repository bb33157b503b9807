// Long because each kind of argument has its own check, and each check its own sentence.
package dev.streamfence.internal.launch;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one launch, in the order of the signature: each is checked against the parameter
 * whose turn it is, and written to the frame, recorded as a use, or set in the launch. One that is
 * refused leaves its parameter's turn as it is. Keeps the arrays reachable until the launch ends.
 * Confined to the thread that holds the submission lock.
 */
final class LaunchArguments {
  private final KernelSignature signature;
  private final KernelParameter[] parameters;
  private final int[] offsets;
  private final String threadsInWords;
  private final TrackedRuntime runtime;
  private final DeviceStream stream;
  private final ArgumentFrame frame;
  private final LoadedKernel kernel;
  private final KernelLaunch launch;
  private final boolean strict;
  private final @Nullable DeviceArray<?>[] arrays;
  private final @Nullable Region[] regions;

  /** Those of the regions: comparing them is most of what refusing aliases costs. */
  private final @Nullable Allocation[] allocations;

  /** How many parameters were passed, and so which is next. */
  private int position;

  /** The structure whose fields are being passed; null between arguments. */
  private @Nullable StructLayout struct;

  /** Which field of it is next. */
  private int field;

  LaunchArguments(
      LoadedKernel kernel,
      DeviceStream stream,
      ArgumentFrame frame,
      KernelLaunch launch,
      boolean strict) {
    this.signature = kernel.signature();
    this.parameters = signature.parameters().toArray(new KernelParameter[0]);
    this.offsets = new int[parameters.length];
    String counting = "";
    int passed = 0;
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof KernelParameter.Passed) {
        offsets[i] = frame.offset(passed++);
      }
      if (parameters[i] instanceof KernelParameter.Threads) {
        counting = use(i);
      }
    }
    this.threadsInWords = counting;
    this.runtime = kernel.runtime();
    this.stream = stream;
    this.frame = frame;
    this.kernel = kernel;
    this.launch = launch;
    this.strict = strict;
    this.arrays = new DeviceArray<?>[parameters.length];
    this.regions = new Region[parameters.length];
    this.allocations = new Allocation[parameters.length];
  }

  /** Forgets the last launch. */
  void clear() {
    position = 0;
    struct = null;
  }

  /** Drops the references to the arrays. */
  void release() {
    Arrays.fill(arrays, 0, position, null);
    Arrays.fill(regions, 0, position, null);
    Arrays.fill(allocations, 0, position, null);
  }

  /** A parameter, for errors. */
  String use(int index) {
    return signature.use(parameters[index]);
  }

  /** Takes the next parameter for a number, and returns where to write that. */
  int value(ElementType type) {
    if (next() instanceof KernelParameter.Value declared && declared.type() == type) {
      return offsets[position++];
    }
    throw refusal(KernelParameter.inWords(type));
  }

  /** Begins the structure that is the next parameter; its fields follow. */
  void struct(Object fields) {
    if (!(next() instanceof KernelParameter.Struct declared)) {
      throw refusal("a structure");
    }
    requirePresent(fields);
    struct = declared.layout();
    field = 0;
  }

  /** Takes the next field of a structure for a number, and returns where to write that. */
  int field(ElementType type) {
    StructLayout open = struct;
    if (open == null) {
      throw refusal("a field outside a structure");
    }
    if (open.type(field) != type) {
      throw refusal(KernelParameter.inWords(type));
    }
    int offset = offsets[position] + open.offset(field);
    field++;
    if (field == open.fields()) {
      struct = null;
      position++;
    }
    return offset;
  }

  /** Passes an array, and records the use. */
  void array(DeviceArray<?> array, Submission submission, UseLabels labels) {
    if (!(next() instanceof KernelParameter.Array declared)) {
      throw refusal("an array");
    }
    requireFits(declared, array);
    TrackedArray<?> tracked = TrackedArray.of(array);
    Region region = tracked.region();
    boolean recorded = region != null && (strict || region.allocation().isTracked());
    // Preflight checks all recorded arrays at once, and refuses those that are closed by then.
    if (recorded ? tracked.isGone() : !array.isOpen()) {
      throw tracked.useAfterFree(use(position));
    }
    if (region != null && region.sizeInBytes() == 0) {
      // An empty view or part takes part in no hazard.
      region.hazards().requireUsable(use(position));
      region = null;
      recorded = false;
    }
    Access access = declared.access();
    if (region != null && !signature.allowsAliases()) {
      requireAlone(tracked, region, access);
    }
    if (region != null && recorded) {
      region.requireTracked(labels, position);
      submission.use(region.hazards(), access.reads(), access.writes(), position);
    }
    frame.put(offsets[position], region == null ? 0L : region.address());
    arrays[position] = array;
    regions[position] = region;
    allocations[position] = region == null ? null : region.allocation();
    position++;
  }

  /** Passes an untracked address. */
  void untracked(long address) {
    if (!(next() instanceof KernelParameter.Array)) {
      throw refusal("an address");
    }
    if (strict) {
      throw new StreamMisuseException(
          use(position)
              + " is an address that is not tracked; pass a DeviceArray, or use a permissive recorder");
    }
    frame.put(offsets[position++], address);
  }

  /** Passes the number of threads, which also shapes the launch. */
  void threads(long threads) {
    if (!(next() instanceof KernelParameter.Threads declared)) {
      throw refusal("a number of threads");
    }
    boolean isInt = declared.type() == ElementType.INT;
    if (isInt && threads > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          threadsInWords + " is " + threads + "; an int is at most " + Integer.MAX_VALUE);
    }
    if (threads < 0) {
      throw new IllegalArgumentException(
          threadsInWords + " is " + threads + "; a launch has at least 0 threads");
    }
    long blocks = -Math.floorDiv(-threads, (long) declared.blockSize());
    if (blocks > Integer.MAX_VALUE) {
      kernel.requireBlocks(blocks);
    }
    launch.grid((int) blocks, 1, 1).block(declared.blockSize(), 1, 1);
    if (isInt) {
      frame.put(offsets[position++], (int) threads);
    } else {
      frame.put(offsets[position++], threads);
    }
  }

  /** Passes the shape of the launch. */
  void shape(LaunchShape shape) {
    if (!(next() instanceof KernelParameter.Shape)) {
      throw refusal("a launch shape");
    }
    requirePresent(shape);
    launch
        .grid(shape.gridX(), shape.gridY(), shape.gridZ())
        .block(shape.blockX(), shape.blockY(), shape.blockZ())
        .dynamicSharedBytes(shape.dynamicSharedBytes());
    position++;
  }

  /** Passes the dynamic shared memory per block. */
  void dynamicSharedBytes(int bytes) {
    if (!(next() instanceof KernelParameter.SharedBytes)) {
      throw refusal("a size of dynamic shared memory");
    }
    if (bytes < 0) {
      throw new IllegalArgumentException(
          use(position) + " is " + bytes + "; dynamic shared memory has at least 0 bytes");
    }
    launch.dynamicSharedBytes(bytes);
    position++;
  }

  /** Refuses a launch for which an argument, or a field of one, is missing. */
  void requireComplete() {
    if (struct != null) {
      throw new IllegalArgumentException(use(position) + ": field " + field + " was not passed");
    }
    if (position < parameters.length) {
      throw new IllegalArgumentException(use(position) + " was not passed");
    }
  }

  /**
   * The uses that the launch declares, for a driver that verifies launches. Allocates: such
   * launches are not benchmarked.
   */
  List<LaunchObserver.Use> uses() {
    List<LaunchObserver.Use> uses = new ArrayList<>();
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof KernelParameter.Array buffer) {
        Region region = regions[i];
        if (region != null) {
          uses.add(
              new LaunchObserver.Use(
                  buffer.name(),
                  region.address(),
                  region.sizeInBytes(),
                  buffer.access().reads(),
                  buffer.access().writes()));
        } else if (arrays[i] == null) {
          uses.add(new LaunchObserver.Use(buffer.name(), frame.getLong(offsets[i]), 0, true, true));
        }
      }
    }
    return uses;
  }

  /** The parameter whose turn it is; null if a field's turn comes first, or all were passed. */
  private @Nullable KernelParameter next() {
    return struct == null && position < parameters.length ? parameters[position] : null;
  }

  /** The exception for an argument that the next parameter, or the next field, does not take. */
  private IllegalArgumentException refusal(String passed) {
    String expected;
    if (struct != null) {
      expected =
          use(position)
              + ": field "
              + field
              + " is next, "
              + KernelParameter.inWords(struct.type(field));
    } else if (position < parameters.length) {
      expected = use(position) + " is next, " + parameters[position].inWords();
    } else {
      expected = use(position - 1) + " is the last";
    }
    return new IllegalArgumentException(expected + "; " + passed + " was passed");
  }

  /**
   * Refuses overlapping memory for two parameters if either is written: a kernel does not order its
   * accesses through them.
   */
  private void requireAlone(TrackedArray<?> array, Region region, Access access) {
    Allocation allocation = region.allocation();
    for (int i = 0; i < position; i++) {
      Region earlier = allocations[i] == allocation ? regions[i] : null;
      if (earlier != null
          && region.overlaps(earlier)
          && parameters[i] instanceof KernelParameter.Array other
          && (access.writes() || other.access().writes())) {
        throw new StreamMisuseException(
            use(position)
                + (region.equals(earlier)
                    ? " is the same array as parameter '" + other.name() + "'"
                    : " is "
                        + array
                        + ", which overlaps parameter '"
                        + other.name()
                        + "', "
                        + arrays[i])
                + ", and one of them is written; pass two arrays, or declare"
                + " @Kernel(mayAlias = true)");
      }
    }
  }

  private void requireFits(KernelParameter.Array declared, DeviceArray<?> array) {
    requirePresent(array);
    if (array.runtime() != runtime) {
      throw new StreamMisuseException(
          use(position)
              + " is "
              + array
              + " of "
              + array.runtime()
              + ", the launch is on "
              + stream
              + ": they belong to two runtimes");
    }
    if (array.elementType() != declared.elementType()) {
      throw new IllegalArgumentException(
          use(position)
              + " is "
              + array
              + "; the kernel takes an array of "
              + declared.elementType().primitive());
    }
  }

  private void requirePresent(@Nullable Object argument) {
    if (argument == null) {
      throw new IllegalArgumentException(use(position) + " is null");
    }
  }
}
