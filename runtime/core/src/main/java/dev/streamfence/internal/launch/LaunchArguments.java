package dev.streamfence.internal.launch;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.KernelArgumentException.Mistake;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.LaunchShape;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one launch, in the order of the signature, with the fields of a structure in its
 * place: each is checked against the parameter whose turn it is, and written to the frame, recorded
 * as a use, or set in the launch. One that is refused leaves its parameter's turn as it is.
 * Confined to the thread that holds the submission lock.
 */
final class LaunchArguments {
  private final LaunchParameters parameterList;

  /** Those of {@link #parameterList}: a launch asks for them often. */
  private final KernelParameter[] parameters;

  private final int[] offsets;
  private final TrackedRuntime runtime;
  private final DeviceStream stream;
  private final ArgumentFrame frame;
  private final LoadedKernel kernel;
  private final KernelLaunch launch;
  private final boolean strict;
  private final ArrayArguments arrays = new ArrayArguments();
  private final LaunchUses uses;

  /** Null if no parameter is a table. */
  private final @Nullable TableArguments tables;

  /** How many parameters were passed, and so which is next. */
  private int position;

  LaunchArguments(
      LoadedKernel kernel,
      DeviceStream stream,
      ArgumentFrame frame,
      KernelLaunch launch,
      @Nullable AddressTables tables,
      boolean strict) {
    this.parameterList = new LaunchParameters(kernel.signature(), frame);
    this.parameters = parameterList.all();
    this.offsets = parameterList.offsets();
    this.runtime = kernel.runtime();
    this.stream = stream;
    this.frame = frame;
    this.kernel = kernel;
    this.launch = launch;
    this.strict = strict;
    this.uses = new LaunchUses(kernel, parameterList, arrays, strict);
    this.tables = tables == null ? null : new TableArguments(tables, parameterList, frame, arrays);
  }

  /** Forgets the last launch. */
  void clear() {
    position = 0;
  }

  /** The uses of what was passed. */
  LaunchUses uses() {
    return uses;
  }

  /** The tables that were passed; null if no parameter is one. */
  @Nullable TableArguments tables() {
    return tables;
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
    if (!(next() instanceof KernelParameter.Struct)) {
      throw refusal("a structure");
    }
    requirePresent(fields);
    position++;
  }

  /** Passes an array, and records the use; the address 0 for one that is absent. */
  void array(@Nullable DeviceValues values, Submission submission, UseLabels labels) {
    if (!(next() instanceof KernelParameter.Array declared)) {
      throw refusal("an array");
    }
    if (values == null) {
      absent(declared);
    } else {
      int turn = position;
      TrackedArray<?> array = array(values, ArrayArguments.IN_NO_TABLE);
      requireTurn(turn, values);
      int place = arrays.count();
      if (!addAgain(array, declared, declared.elementType(), ArrayArguments.IN_NO_TABLE)) {
        add(array, declared, submission, labels);
      }
      frame.put(offsets[position++], arrays.address(place));
    }
  }

  /** Refuses values whose code, which may be the user's, has itself passed an argument. */
  private void requireTurn(int turn, Object passed) {
    if (position != turn) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.WRONG_STEP,
          parameterList.use(turn),
          ": "
              + passed
              + " passes an argument of the same launch while it is asked for its values");
    }
  }

  private void absent(KernelParameter.Array declared) {
    if (!declared.optional()) {
      throw mistake(Mistake.NULL, " is null");
    }
    frame.put(offsets[position++], 0L);
  }

  private void add(
      TrackedArray<?> array,
      KernelParameter.Array declared,
      Submission submission,
      UseLabels labels) {
    int first = arrays.count();
    boolean isTaken = false;
    try {
      add(array, declared, declared.elementType(), ArrayArguments.IN_NO_TABLE, submission, labels);
      uses.requireApart(first);
      isTaken = true;
    } finally {
      end(isTaken, first);
    }
  }

  /** Keeps the arrays that were added last, or forgets them if they are refused. */
  private void end(boolean isTaken, int first) {
    if (isTaken) {
      arrays.accept(first);
    } else {
      arrays.truncate(first);
    }
  }

  /**
   * Adds an array if an earlier launch has passed the same memory in the same place: all that can
   * have changed since is that it is closed.
   */
  private boolean addAgain(
      TrackedArray<?> array,
      KernelParameter.Tracked declared,
      @Nullable ArrayElement elementType,
      int index) {
    Region region = array.region();
    if (region == null || !arrays.isNext(region, position, index)) {
      return false;
    }
    // What is not known, or would be refused, is left to the full check.
    boolean isSame =
        (elementType == null || array.elementType() == elementType)
            && (array instanceof WritableArray || !declared.access().writes())
            && array.runtime() == runtime
            && uses.areRecorded(region)
            && !array.isGone();
    if (isSame) {
      arrays.addNext(array);
    }
    return isSame;
  }

  /**
   * Passes a table of arrays, and records the uses of all.
   *
   * @param table a Java array or a list of {@link DeviceValues}, or a {@link DeviceValues.Table}
   */
  void table(Object table, Submission submission, UseLabels labels) {
    if (!(next() instanceof KernelParameter.Table declared)) {
      throw refusal("a table of arrays");
    }
    requirePresent(table);
    int turn = position;
    int first = arrays.count();
    boolean isTaken = false;
    try {
      if (table instanceof Object[] entries) {
        for (int i = 0; i < entries.length; i++) {
          addEntry(entries[i], i, declared, submission, labels);
        }
      } else {
        addAll(
            table instanceof DeviceValues.Table columns ? columns(columns) : (List<?>) table,
            declared,
            submission,
            labels);
      }
      requireTurn(turn, table);
      uses.requireApart(first);
      isTaken = true;
    } finally {
      // What the code of the user has passed meanwhile is forgotten with the table.
      position = turn;
      end(isTaken, first);
      if (isTaken) {
        requireNonNull(tables).add(position, first, arrays.count() - first);
        position++;
      }
    }
  }

  private void addAll(
      List<?> entries, KernelParameter.Table declared, Submission submission, UseLabels labels) {
    if (entries instanceof RandomAccess) {
      // An iterator would be an object more per launch.
      for (int i = 0; i < entries.size(); i++) {
        addEntry(entries.get(i), i, declared, submission, labels);
      }
    } else {
      int index = 0;
      for (Object each : entries) {
        addEntry(each, index++, declared, submission, labels);
      }
    }
  }

  private void addEntry(
      Object entry,
      int index,
      KernelParameter.Table declared,
      Submission submission,
      UseLabels labels) {
    TrackedArray<?> array = array((DeviceValues) present(entry, index), index);
    if (!addAgain(array, declared, declared.elementType(), index)) {
      add(array, declared, declared.elementType(), index, submission, labels);
    }
  }

  private TrackedArray<?> array(DeviceValues values, int index) {
    // Most are arrays to write, and the comparison with a final class is the fastest.
    if (values instanceof WritableArray<?> array) {
      return array;
    }
    try {
      return TrackedArray.of(present(values.values(), index));
    } catch (UseAfterFreeException e) {
      throw closed(e, entry(index), values);
    }
  }

  private List<?> columns(DeviceValues.Table table) {
    try {
      List<?> columns = table.columns();
      requirePresent(columns);
      return columns;
    } catch (UseAfterFreeException e) {
      throw closed(e, parameterList.use(position), table);
    }
  }

  /** A refusal by a column or a table, with the parameter that it was passed for. */
  private static UseAfterFreeException closed(
      UseAfterFreeException refusal, AttemptedUse use, Object passed) {
    return new UseAfterFreeException(
        use, passed.toString(), refusal.generation(), refusal.getCause());
  }

  /** Adds an array, alone or in a table. */
  private void add(
      TrackedArray<?> array,
      KernelParameter.Tracked declared,
      @Nullable ArrayElement elementType,
      int index,
      Submission submission,
      UseLabels labels) {
    boolean isPeer = array.runtime() != runtime;
    if (isPeer) {
      requirePeer(array, declared, index, submission, labels);
    }
    requireFits(array, elementType, index);
    if (declared.access().writes() && !(array instanceof WritableArray)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.READ_ONLY,
          entry(index),
          " writes " + array + ", which is read-only; write a copy of it instead");
    }
    Region region = array.region();
    boolean recorded = uses.areRecorded(region);
    // Preflight checks all recorded arrays at once, and refuses those that are closed by then.
    if (recorded ? array.isGone() : !array.isOpen()) {
      throw array.useAfterFree(entry(index));
    }
    int added = arrays.count();
    boolean isEmpty = region != null && region.sizeInBytes() == 0;
    arrays.add(array, isEmpty ? null : region, position, index, declared.access().writes());
    if (region != null && isEmpty) {
      // An empty view or part takes part in no hazard.
      region.hazards().requireUsable(labels, added);
    } else if (region != null && recorded) {
      region.requireTracked(labels, added);
    }
  }

  /** Passes an untracked address. */
  void untracked(long address) {
    if (!(next() instanceof KernelParameter.Tracked)) {
      throw refusal("an address");
    }
    if (strict) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.UNTRACKED,
          parameterList.use(position),
          " is an address that is not tracked; pass a DeviceArray, or use a permissive recorder");
    }
    arrays.addUntracked(address, position);
    frame.put(offsets[position++], address);
  }

  /** Passes the number of threads, which also shapes the launch. */
  void threads(long threads) {
    if (!(next() instanceof KernelParameter.Threads declared)) {
      throw refusal("a number of threads");
    }
    boolean isInt = declared.type() == ElementType.INT;
    if (isInt && threads > Integer.MAX_VALUE) {
      throw mistake(Mistake.NUMBER, " is " + threads + "; an int is at most " + Integer.MAX_VALUE);
    }
    if (threads < 0) {
      throw mistake(Mistake.NUMBER, " is " + threads + "; a launch has at least 0 threads");
    }
    kernel.shape(launch, threads);
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
      throw mistake(
          Mistake.NUMBER, " is " + bytes + "; dynamic shared memory has at least 0 bytes");
    }
    launch.dynamicSharedBytes(bytes);
    position++;
  }

  /** Refuses a launch for which an argument is missing. */
  void requireComplete() {
    if (position < parameters.length) {
      throw mistake(Mistake.MISSING, " was not passed");
    }
  }

  /** Compares launches with the lengths of their arrays; null if none can be refused. */
  @Nullable BoundsCheck boundsCheck() {
    LoadedBounds bounds = kernel.bounds();
    return bounds == null ? null : new BoundsCheck(bounds, launch, frame, arrays);
  }

  /** The numbers of a node that has the arguments of this launch. */
  NodeNumbers numbersOf(KernelLaunch node, ArgumentFrame its) {
    return new NodeNumbers(kernel, node, its, parameterList.numbers(), arrays.copy());
  }

  /** The parameter whose turn it is; null if all were passed. */
  private @Nullable KernelParameter next() {
    return position < parameters.length ? parameters[position] : null;
  }

  /** A mistake in the argument of the parameter whose turn it is. */
  private KernelArgumentException mistake(Mistake kind, String sentence) {
    return new KernelArgumentException(kind, parameterList.use(position), sentence);
  }

  /** The exception for an argument that the next parameter does not take. */
  private KernelArgumentException refusal(String passed) {
    boolean isLast = position == parameters.length;
    return new KernelArgumentException(
        Mistake.UNEXPECTED,
        parameterList.use(isLast ? position - 1 : position),
        (isLast ? " is the last" : " is next, " + parameters[position].inWords())
            + "; "
            + passed
            + " was passed");
  }

  private <T> T present(@Nullable T entry, int index) {
    if (entry == null) {
      throw new KernelArgumentException(Mistake.NULL, entry(index), " is null");
    }
    return entry;
  }

  /** Refuses an array of another device, unless the kernel may have it and can access it. */
  private void requirePeer(
      TrackedArray<?> array,
      KernelParameter.Tracked declared,
      int index,
      Submission submission,
      UseLabels labels) {
    if (!runtime.driver().isPeer(array.runtime().driver().context())) {
      throw otherRuntime(
          array,
          index,
          "they belong to two runtimes, and neither copies nor peer access lead from one to the"
              + " other; use arrays of the launch's runtime, or open simulated devices that were"
              + " built together, by SimulatedDevice.builder().build(n)");
    }
    if (!declared.peer()) {
      throw otherRuntime(
          array,
          index,
          "they belong to two runtimes; copyTo brings an array to the device of a stream, and "
              + KernelParameter.annotation(declared.access())
              + "(peer = true) lets a kernel use it where it is");
    }
    if (submission.recording() != null) {
      throw otherRuntime(
          array,
          index,
          "a graph has memory of one device only; copyTo brings an array to the device of a"
              + " stream");
    }
    if (!runtime.canAccess(array.runtime(), labels)) {
      throw otherRuntime(
          array,
          index,
          "the device has no peer access to that memory; copyTo brings an array to the device of a"
              + " stream");
    }
  }

  private StreamMisuseException otherRuntime(TrackedArray<?> array, int index, String reason) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.OTHER_RUNTIME,
        entry(index),
        " is " + array + " of " + array.runtime() + ", the launch is on " + stream + ": " + reason);
  }

  private void requireFits(TrackedArray<?> array, @Nullable ArrayElement elementType, int index) {
    // Two references, unless class loaders have a record each.
    if (elementType != null
        && array.elementType() != elementType
        && !array.elementType().equals(elementType)) {
      throw new KernelArgumentException(
          Mistake.ELEMENT_TYPE,
          entry(index),
          " is " + array + "; the kernel takes an array of " + elementType.typeName());
    }
  }

  private void requirePresent(@Nullable Object argument) {
    if (argument == null) {
      throw mistake(Mistake.NULL, " is null");
    }
  }

  /** An array of the parameter whose turn it is, for errors. */
  private AttemptedUse entry(int index) {
    return parameterList.use(position, index);
  }
}
