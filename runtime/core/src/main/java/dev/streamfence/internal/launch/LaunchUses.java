package dev.streamfence.internal.launch;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Uses;
import dev.streamfence.internal.recording.RecordedNode;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.KernelParameter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The uses of one launch: those of the arrays that it passes, and of the module's variables that
 * its kernel uses besides its parameters. Confined to the thread that holds the submission lock.
 */
final class LaunchUses {
  private final String entry;
  private final boolean allowsAliases;
  private final TrackedRuntime runtime;

  /** Whether the recorder refuses memory whose uses are not ordered. */
  private final boolean strict;

  private final LaunchParameters parameters;
  private final ArrayArguments arrays;

  /** The variables of the module that the kernel uses besides its parameters. */
  private final SymbolUse[] symbols;

  private final Uses uses = new Uses();

  /** The arrays that the uses are of. */
  private long version = -1;

  LaunchUses(
      LoadedKernel kernel, LaunchParameters parameters, ArrayArguments arrays, boolean strict) {
    this.entry = kernel.signature().entry();
    this.allowsAliases = kernel.signature().allowsAliases();
    this.runtime = kernel.runtime();
    this.symbols = kernel.symbols();
    this.parameters = parameters;
    this.arrays = arrays;
    this.strict = strict;
  }

  /**
   * An array, for errors: its parameter, with its index in a table. A negative number stands for a
   * variable of the module.
   */
  AttemptedUse use(int array) {
    if (array < 0) {
      String variable = symbols[-1 - array].name();
      return new AttemptedUse(entry, variable, entry + ": variable '" + variable + "'");
    }
    ArrayArgument passed = arrays.get(array);
    return parameters.use(passed.parameter(), passed.index());
  }

  /** The name of an array for errors. */
  String name(int array) {
    ArrayArgument passed = arrays.get(array);
    return parameters.name(passed.parameter(), passed.index());
  }

  /** Whether the runtime orders the uses of an array's memory; null stands for no memory. */
  boolean areRecorded(@Nullable Region region) {
    return region != null && (strict || region.hazards().isTracked());
  }

  /** How many of the arrays passed so far are uses that the runtime orders. */
  int count() {
    int recorded = 0;
    for (int i = 0; i < arrays.count(); i++) {
      recorded += areRecorded(arrays.get(i).region()) ? 1 : 0;
    }
    return recorded;
  }

  /** Refuses arrays that overlap and of which one is written, unless the signature allows that. */
  void requireApart(int first) {
    if (!allowsAliases) {
      arrays.requireApart(first, this);
    }
  }

  /**
   * Gives the uses of the arrays and of the module's variables to a submission: those of the launch
   * before, if it had the same arrays.
   *
   * @throws StreamMisuseException if a variable is also passed and the kernel writes it, unless the
   *     signature allows that
   */
  void submit(Submission submission) {
    if (version != arrays.version()) {
      version = -1;
      find(submission);
      version = arrays.version();
    }
    submission.use(uses);
  }

  private void find(Submission submission) {
    for (SymbolUse symbol : symbols) {
      if (!allowsAliases) {
        arrays.requireApart(symbol, this);
      }
    }
    uses.clear();
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      TrackedRuntime owner = array.runtime();
      Region region = array.region();
      if (owner != null && region != null && areRecorded(region)) {
        Access access = parameters.tracked(array.parameter()).access();
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
   * Forgets the launch.
   *
   * @param isRecorded whether the end of the submission still makes the uses edges of a graph
   */
  void release(boolean isRecorded) {
    arrays.truncate(0);
    if (uses.areMany()) {
      version = -1;
      if (!isRecorded) {
        uses.clear();
      }
    }
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
                    ? parameters.offsets()[array.parameter()]
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

  /**
   * The uses that the launch declares, for a driver that verifies launches. Allocates: such
   * launches are not benchmarked.
   *
   * @param isRecorded whether it becomes a node of a graph, whose numbers may change
   */
  List<LaunchObserver.Use> declared(@Nullable TableArguments tables, boolean isRecorded) {
    List<LaunchObserver.Use> declared = new ArrayList<>();
    for (int i = 0; i < arrays.count(); i++) {
      ArrayArgument array = arrays.get(i);
      if (array.isUntracked()) {
        declared.add(new LaunchObserver.Use(name(i), arrays.address(i), 0, true, true));
      } else {
        KernelParameter.Tracked parameter = parameters.tracked(array.parameter());
        declared.add(
            new LaunchObserver.Use(
                name(i),
                arrays.address(i),
                array.sizeInBytes(),
                parameter.access().reads(),
                parameter.access().writes(),
                array.toString(),
                array.elementBytes(),
                parameter instanceof KernelParameter.Array single && single.distinct(),
                parameters.least(array.parameter()),
                parameters.most(array.parameter(), arrays, !isRecorded)));
      }
    }
    for (SymbolUse symbol : symbols) {
      Region region = symbol.region();
      declared.add(
          new LaunchObserver.Use(
              symbol.name(),
              region.address(),
              region.sizeInBytes(),
              symbol.reads(),
              symbol.writes()));
    }
    if (tables != null) {
      tables.addUses(declared);
    }
    return declared;
  }
}
