package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one launch: checked against the signature, written to the frame, and recorded as
 * uses. Keeps the arrays reachable until the launch ends. Confined to the thread that holds the
 * submission lock.
 */
final class LaunchArguments {
  private final KernelSignature signature;
  private final KernelParameter[] parameters;
  private final TrackedRuntime runtime;
  private final DeviceStream stream;
  private final ArgumentFrame frame;
  private final boolean strict;
  private final boolean[] given;
  private final long[] fieldsGiven;
  private final @Nullable DeviceArray<?>[] arrays;

  LaunchArguments(LoadedKernel kernel, DeviceStream stream, ArgumentFrame frame, boolean strict) {
    this.signature = kernel.signature();
    this.parameters = signature.parameters().toArray(new KernelParameter[0]);
    this.runtime = kernel.runtime();
    this.stream = stream;
    this.frame = frame;
    this.strict = strict;
    this.given = new boolean[parameters.length];
    this.fieldsGiven = new long[parameters.length];
    this.arrays = new DeviceArray<?>[parameters.length];
  }

  /** Forgets the last launch. */
  void clear() {
    Arrays.fill(given, false);
    Arrays.fill(fieldsGiven, 0);
  }

  /** Drops the references to the arrays. */
  void release() {
    Arrays.fill(arrays, null);
  }

  HostMemory memory() {
    return frame.memory();
  }

  ArgumentFrame frame() {
    return frame;
  }

  /**
   * Marks a parameter as passed, and returns the frame to write its value to.
   *
   * @throws IllegalArgumentException if the parameter does not take a number of that type
   */
  ArgumentFrame value(int index, ElementType type) {
    if (!(parameter(index) instanceof KernelParameter.Value declared)) {
      throw new IllegalArgumentException(signature.use(index) + " is no number");
    }
    if (declared.type() != type) {
      throw new IllegalArgumentException(
          signature.use(index)
              + " is a "
              + type.primitive()
              + "; the signature says "
              + declared.type().primitive());
    }
    given[index] = true;
    return frame;
  }

  /**
   * Begins a structure; none of its fields is passed yet.
   *
   * @throws IllegalArgumentException if the parameter takes no structure, or {@code struct} is null
   */
  void struct(int index, Object struct) {
    requireStruct(index);
    if (struct == null) {
      throw new IllegalArgumentException(signature.use(index) + " is null");
    }
    fieldsGiven[index] = 0;
    given[index] = false;
  }

  /** Marks a field as passed, and returns its offset in the structure. */
  int field(int index, int field, ElementType type) {
    StructLayout layout = requireStruct(index).layout();
    if (field < 0 || field >= layout.fields()) {
      throw new IllegalArgumentException(
          signature.use(index) + " has no field number " + field + "; it has " + layout.fields());
    }
    if (layout.type(field) != type) {
      throw new IllegalArgumentException(
          signature.use(index)
              + ": field "
              + field
              + " is a "
              + type.primitive()
              + "; the signature says "
              + layout.type(field).primitive());
    }
    fieldsGiven[index] |= 1L << field;
    // One bit per field, all set; 64 fields take every bit.
    given[index] = fieldsGiven[index] == -1L >>> (StructLayout.MAX_FIELDS - layout.fields());
    return layout.offset(field);
  }

  /** Passes an array, and records the use. */
  void buffer(
      int index, DeviceArray<?> array, Access access, Submission submission, UseLabels labels) {
    requireFits(index, array, access);
    Block block = TrackedArray.of(array).block();
    boolean recorded = block != null && (strict || block.isTracked());
    // Preflight checks all recorded arrays at once, and refuses those that are closed by then.
    if (recorded ? TrackedArray.of(array).isGone() : !array.isOpen()) {
      throw TrackedArray.of(array).useAfterFree(signature.use(index));
    }
    if (block != null && !signature.mayAlias()) {
      requireAlone(index, block, access);
    }
    if (block != null && recorded) {
      block.requireTracked(labels, index);
      submission.use(block.dependencies(), access.reads(), access.writes(), index);
    }
    frame.put(index, 0, block == null ? 0L : block.address());
    arrays[index] = array;
    given[index] = true;
  }

  /** Passes an untracked address. */
  void untracked(int index, long address) {
    requireBuffer(index);
    if (strict) {
      throw new StreamMisuseException(
          signature.use(index)
              + " is an address that is not tracked; pass a DeviceArray, or use a permissive recorder");
    }
    frame.put(index, 0, address);
    arrays[index] = null;
    given[index] = true;
  }

  /** Refuses a launch for which an argument is missing. */
  void requireComplete() {
    for (int i = 0; i < given.length; i++) {
      if (!given[i]) {
        throw new IllegalArgumentException(signature.use(i) + " was not passed");
      }
    }
  }

  /**
   * The uses that the launch declares, for a driver that verifies launches. Allocates: such
   * launches are not benchmarked.
   */
  List<LaunchObserver.Use> uses() {
    List<LaunchObserver.Use> uses = new ArrayList<>();
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof KernelParameter.Buffer buffer) {
        DeviceArray<?> array = arrays[i];
        Block block = array == null ? null : TrackedArray.of(array).block();
        if (block != null) {
          uses.add(
              new LaunchObserver.Use(
                  buffer.name(),
                  block.address(),
                  block.sizeInBytes(),
                  buffer.access().reads(),
                  buffer.access().writes()));
        } else if (array == null) {
          uses.add(new LaunchObserver.Use(buffer.name(), frame.getLong(i), 0, true, true));
        }
      }
    }
    return uses;
  }

  /**
   * Refuses one array for two parameters if either is written: a kernel does not order its accesses
   * through them.
   */
  private void requireAlone(int index, Block block, Access access) {
    for (int i = 0; i < arrays.length; i++) {
      DeviceArray<?> other = arrays[i];
      if (other != null
          && i != index
          && TrackedArray.of(other).block() == block
          && parameters[i] instanceof KernelParameter.Buffer declared
          && (access.writes() || declared.access().writes())) {
        throw new StreamMisuseException(
            signature.use(index)
                + " is the same array as parameter '"
                + declared.name()
                + "', and one of them is written; pass two arrays, or declare"
                + " @Kernel(mayAlias = true)");
      }
    }
  }

  private KernelParameter.Struct requireStruct(int index) {
    if (parameter(index) instanceof KernelParameter.Struct struct) {
      return struct;
    }
    throw new IllegalArgumentException(signature.use(index) + " is no structure");
  }

  private KernelParameter.Buffer requireBuffer(int index) {
    KernelParameter parameter = parameter(index);
    if (parameter instanceof KernelParameter.Buffer buffer) {
      return buffer;
    }
    throw new IllegalArgumentException(
        signature.use(index)
            + " is a "
            + (parameter instanceof KernelParameter.Struct ? "structure" : "number")
            + ", not an array");
  }

  private void requireFits(int index, DeviceArray<?> array, Access access) {
    KernelParameter.Buffer declared = requireBuffer(index);
    if (array == null) {
      throw new IllegalArgumentException(signature.use(index) + " is null");
    }
    if (array.runtime() != runtime) {
      throw new StreamMisuseException(
          signature.use(index)
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
          signature.use(index)
              + " is "
              + array
              + "; the kernel takes an array of "
              + declared.elementType().primitive());
    }
    if (access != declared.access()) {
      throw new IllegalArgumentException(
          signature.use(index)
              + " is recorded as "
              + access
              + "; the signature says "
              + declared.access());
    }
  }

  private KernelParameter parameter(int index) {
    if (index < 0 || index >= parameters.length) {
      throw new IllegalArgumentException(
          signature.entry()
              + " has no parameter number "
              + index
              + "; it takes "
              + parameters.length);
    }
    return parameters[index];
  }
}
