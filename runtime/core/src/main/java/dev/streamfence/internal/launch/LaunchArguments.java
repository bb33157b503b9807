// Long because each kind of argument has its own check, and each check its own sentence.
package dev.streamfence.internal.launch;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.RecordedNode;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Uses;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one launch, in the order of the signature, with the fields of a structure in its
 * place: each is checked against the parameter whose turn it is, and written to the frame, recorded
 * as a use, or set in the launch. One that is refused leaves its parameter's turn as it is.
 * Confined to the thread that holds the submission lock.
 */
final class LaunchArguments {
  private final KernelSignature signature;

  /** The parameters; a structure's fields follow it. */
  private final KernelParameter[] parameters;

  private final String[] names;
  private final int[] offsets;
  private final AttemptedUse counting;
  private final TrackedRuntime runtime;
  private final DeviceStream stream;
  private final ArgumentFrame frame;
  private final LoadedKernel kernel;
  private final KernelLaunch launch;
  private final boolean strict;
  private final ArrayArguments arrays = new ArrayArguments();
  private final Uses uses = new Uses();

  /** The arrays that the uses are of. */
  private long usesVersion = -1;

  /** The variables of the module that the kernel uses besides its parameters. */
  private final SymbolUse[] symbols;

  /** The tables of the stream, and which parameters are tables; null if none is. */
  private final @Nullable TableArguments tables;

  /** Where the numbers lie, once a graph has asked. */
  private final Map<String, NodeNumbers.Place> numbers = new LinkedHashMap<>(0);

  /** How many parameters were passed, and so which is next. */
  private int position;

  LaunchArguments(
      LoadedKernel kernel,
      DeviceStream stream,
      ArgumentFrame frame,
      KernelLaunch launch,
      @Nullable AddressTables tables,
      boolean strict) {
    this.signature = kernel.signature();
    List<KernelParameter> all = new ArrayList<>();
    List<String> called = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    int passed = 0;
    for (KernelParameter parameter : signature.parameters()) {
      int offset = parameter instanceof KernelParameter.Passed ? frame.offset(passed++) : 0;
      all.add(parameter);
      called.add(parameter.name());
      places.add(offset);
      if (parameter instanceof KernelParameter.Struct struct) {
        StructLayout layout = struct.layout();
        for (int i = 0; i < struct.fields().size(); i++) {
          all.add(struct.fields().get(i));
          called.add(struct.name(struct.fields().get(i)));
          places.add(offset + layout.offset(i));
        }
      }
    }
    this.parameters = all.toArray(new KernelParameter[0]);
    this.names = called.toArray(new String[0]);
    this.offsets = places.stream().mapToInt(Integer::intValue).toArray();
    String threads = "";
    for (int i = 0; i < parameters.length; i++) {
      threads = parameters[i] instanceof KernelParameter.Threads ? names[i] : threads;
    }
    this.counting = use(threads);
    this.runtime = kernel.runtime();
    this.stream = stream;
    this.frame = frame;
    this.kernel = kernel;
    this.symbols = kernel.symbols();
    this.launch = launch;
    this.strict = strict;
    this.tables = tables == null ? null : new TableArguments(tables, parameters.length);
  }

  /** Forgets the last launch. */
  void clear() {
    position = 0;
  }

  /**
   * Drops the references to the arrays, and the tables that were not sent.
   *
   * @param isRecorded whether the end of the submission still makes the uses edges of a graph
   */
  void release(boolean isRecorded) {
    arrays.truncate(0);
    if (uses.areMany()) {
      usesVersion = -1;
      if (!isRecorded) {
        uses.clear();
      }
    }
    if (tables != null) {
      tables.release();
    }
  }

  /**
   * An array, for errors: its parameter, with its index in a table. A negative number stands for a
   * variable of the module.
   */
  AttemptedUse use(int array) {
    String kernel = signature.entry();
    if (array < 0) {
      String variable = symbols[-1 - array].name();
      return new AttemptedUse(kernel, variable, kernel + ": variable '" + variable + "'");
    }
    return AttemptedUse.ofParameter(kernel, name(array));
  }

  /** The name of an array for errors. */
  String name(int array) {
    String name = names[arrays.get(array).parameter()];
    int index = arrays.get(array).index();
    return index == ArrayArguments.IN_NO_TABLE ? name : KernelParameter.Table.entry(name, index);
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
    requirePresent(fields, names[position]);
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
          use(names[turn]),
          ": "
              + passed
              + " passes an argument of the same launch while it is asked for its values");
    }
  }

  private void absent(KernelParameter.Array declared) {
    if (!declared.optional()) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NULL, use(names[position]), " is null");
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
      requireApart(first);
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
            && isRecorded(region)
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
    requirePresent(table, names[position]);
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
      requireApart(first);
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
      requirePresent(columns, names[position]);
      return columns;
    } catch (UseAfterFreeException e) {
      throw closed(e, use(names[position]), table);
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
    boolean recorded = isRecorded(region);
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

  /** Whether the runtime orders the uses of an array's memory; null stands for no memory. */
  private boolean isRecorded(@Nullable Region region) {
    return region != null && (strict || region.hazards().isTracked());
  }

  /** How many of the arrays passed so far are uses that the runtime orders. */
  int recordedUses() {
    int recorded = 0;
    for (int i = 0; i < arrays.count(); i++) {
      recorded += isRecorded(arrays.get(i).region()) ? 1 : 0;
    }
    return recorded;
  }

  private void requireApart(int first) {
    if (!signature.allowsAliases()) {
      arrays.requireApart(first, this);
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
          use(names[position]),
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
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NUMBER,
          counting,
          " is " + threads + "; an int is at most " + Integer.MAX_VALUE);
    }
    if (threads < 0) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NUMBER,
          counting,
          " is " + threads + "; a launch has at least 0 threads");
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
    requirePresent(shape, names[position]);
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
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NUMBER,
          use(names[position]),
          " is " + bytes + "; dynamic shared memory has at least 0 bytes");
    }
    launch.dynamicSharedBytes(bytes);
    position++;
  }

  /** Refuses a launch for which an argument is missing. */
  void requireComplete() {
    if (position < parameters.length) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.MISSING, use(names[position]), " was not passed");
    }
  }

  /** Refuses a launch whose kernel certainly touches an element that an array does not have. */
  void check(BoundsCheck bounds) {
    bounds.check(arrays);
  }

  /**
   * Records the uses of the arrays and of the module's variables: those of the launch before, if it
   * had the same arrays.
   *
   * @throws StreamMisuseException if a variable is also passed and the kernel writes it, unless the
   *     signature allows that
   */
  void use(Submission submission) {
    if (usesVersion != arrays.version()) {
      usesVersion = -1;
      findUses(submission);
      usesVersion = arrays.version();
    }
    submission.use(uses);
  }

  private void findUses(Submission submission) {
    for (SymbolUse symbol : symbols) {
      if (!signature.allowsAliases()) {
        arrays.requireApart(symbol, this);
      }
    }
    uses.clear();
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      TrackedRuntime owner = array.runtime();
      Region region = array.region();
      if (owner != null && region != null && isRecorded(region)) {
        Access access = ((KernelParameter.Tracked) parameters[array.parameter()]).access();
        if (owner == runtime) {
          uses.add(region.hazards(), access.reads(), access.writes(), i);
        } else {
          submission.usePeer(owner.pool(), region.hazards(), access.reads(), access.writes(), i);
        }
      }
    }
    for (int i = 0; i < symbols.length; i++) {
      SymbolUse symbol = symbols[i];
      uses.add(symbol.region().hazards(), symbol.reads(), symbol.writes(), -1 - i);
    }
  }

  /**
   * The memory that the launch uses, as a graph has to know it; allocates, since recording a graph
   * is no launch.
   */
  List<RecordedNode.Range> ranges() {
    List<RecordedNode.Range> ranges = new ArrayList<>();
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      if (array.sizeInBytes() > 0) {
        ranges.add(
            new RecordedNode.Range(
                array.index() == ArrayArguments.IN_NO_TABLE
                    ? offsets[array.parameter()]
                    : RecordedNode.Range.FIXED,
                arrays.address(i),
                array.sizeInBytes(),
                array.isWritten()));
      }
    }
    for (SymbolUse symbol : symbols) {
      ranges.add(
          new RecordedNode.Range(
              RecordedNode.Range.FIXED,
              symbol.region().address(),
              symbol.region().sizeInBytes(),
              symbol.writes()));
    }
    return ranges;
  }

  /** The numbers of a node that has the arguments of this launch. */
  NodeNumbers numbersOf(KernelLaunch node, ArgumentFrame its) {
    return new NodeNumbers(kernel, node, its, numbers(), arrays.copy());
  }

  private Map<String, NodeNumbers.Place> numbers() {
    if (numbers.isEmpty()) {
      for (int i = 0; i < parameters.length; i++) {
        if (parameters[i] instanceof KernelParameter.Value number) {
          numbers.put(names[i], new NodeNumbers.Place(number.type(), false, offsets[i]));
        } else if (parameters[i] instanceof KernelParameter.Threads count) {
          numbers.put(names[i], new NodeNumbers.Place(count.type(), true, offsets[i]));
        }
      }
    }
    return numbers;
  }

  /** Refuses memory whose uses nothing orders: in a graph, not even its stream does. */
  void requireTracked(UseLabels labels) {
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      Region region = array.region();
      if (array.isUntracked()) {
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.UNTRACKED,
            use(i),
            " is an address that is not tracked, and nothing orders its uses in a graph; pass a"
                + " DeviceArray");
      } else if (region != null) {
        region.requireTracked(labels, i);
      }
    }
  }

  /** Whether the launch passes a table. */
  boolean hasTables() {
    return tables != null && tables.count() > 0;
  }

  /**
   * Places the tables of the launch in memory that keeps them, passes their addresses, and queues
   * the copies.
   *
   * @param kept has no other tables
   */
  void placeTablesIn(AddressTables kept) {
    requireNonNull(tables).place(arrays, kept);
    passTables();
    kept.send(0);
  }

  /** Finds a place for the tables of the launch in device memory, and passes their addresses. */
  void placeTables() {
    if (tables != null) {
      tables.place(arrays);
      passTables();
    }
  }

  private void passTables() {
    if (tables != null) {
      for (int i = 0; i < tables.count(); i++) {
        frame.put(offsets[tables.parameter(i)], tables.address(i));
      }
    }
  }

  /** Queues the copies of the tables that are not in device memory, and counts them. */
  void sendTables(long ticket) {
    if (tables != null) {
      long bytes = tables.send(ticket);
      if (bytes > 0) {
        runtime.memory().countTables(bytes);
      }
    }
  }

  /**
   * The uses that the launch declares, for a driver that verifies launches. Allocates: such
   * launches are not benchmarked.
   */
  List<LaunchObserver.Use> uses() {
    List<LaunchObserver.Use> uses = new ArrayList<>();
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      if (array.isUntracked()) {
        uses.add(new LaunchObserver.Use(name(i), arrays.address(i), 0, true, true));
      } else {
        KernelParameter parameter = parameters[array.parameter()];
        Access access = ((KernelParameter.Tracked) parameter).access();
        uses.add(
            new LaunchObserver.Use(
                name(i),
                arrays.address(i),
                array.sizeInBytes(),
                access.reads(),
                access.writes(),
                array.toString(),
                array.elementBytes(),
                parameter instanceof KernelParameter.Array declared && declared.distinct()));
      }
    }
    for (SymbolUse symbol : symbols) {
      Region region = symbol.region();
      uses.add(
          new LaunchObserver.Use(
              symbol.name(),
              region.address(),
              region.sizeInBytes(),
              symbol.reads(),
              symbol.writes()));
    }
    for (int i = 0; tables != null && i < tables.count(); i++) {
      if (tables.length(i) > 0) {
        uses.add(
            new LaunchObserver.Use(
                names[tables.parameter(i)],
                tables.address(i),
                (long) tables.length(i) * Long.BYTES,
                true,
                false));
      }
    }
    return uses;
  }

  /** The parameter whose turn it is; null if all were passed. */
  private @Nullable KernelParameter next() {
    return position < parameters.length ? parameters[position] : null;
  }

  /** The exception for an argument that the next parameter does not take. */
  private KernelArgumentException refusal(String passed) {
    boolean isLast = position == parameters.length;
    return new KernelArgumentException(
        KernelArgumentException.Mistake.UNEXPECTED,
        use(names[isLast ? position - 1 : position]),
        (isLast ? " is the last" : " is next, " + parameters[position].inWords())
            + "; "
            + passed
            + " was passed");
  }

  private <T> T present(@Nullable T entry, int index) {
    if (entry == null) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NULL, entry(index), " is null");
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
          KernelArgumentException.Mistake.ELEMENT_TYPE,
          entry(index),
          " is " + array + "; the kernel takes an array of " + elementType.typeName());
    }
  }

  private void requirePresent(@Nullable Object argument, String name) {
    if (argument == null) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NULL, use(name), " is null");
    }
  }

  /** A parameter, for errors. */
  private AttemptedUse use(String name) {
    return AttemptedUse.ofParameter(signature.entry(), name);
  }

  /** An array of the parameter whose turn it is, for errors. */
  private AttemptedUse entry(int index) {
    String name = names[position];
    return use(
        index == ArrayArguments.IN_NO_TABLE ? name : KernelParameter.Table.entry(name, index));
  }
}
