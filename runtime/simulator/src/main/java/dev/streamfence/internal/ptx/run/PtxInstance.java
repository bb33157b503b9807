package dev.streamfence.internal.ptx.run;

import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.run.machine.ConstantBank;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.GridWorkspace;
import dev.streamfence.internal.ptx.run.machine.LaunchBudget;
import dev.streamfence.internal.ptx.run.machine.LinkedCode;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.machine.ThreadBlock;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A program whose global variables have addresses, like a loaded module on a device. Immutable, and
 * thread-safe if the global memories passed to it are.
 */
public final class PtxInstance {
  /** A minute or two of interpretation, more than any sensible launch in a simulation needs. */
  public static final long DEFAULT_INSTRUCTION_LIMIT = 1L << 34;

  private final PtxProgram program;
  private final LinkedCode linked;
  private final long instructionLimit;
  private final Consumer<String> output;
  private final Supplier<@Nullable Thread> interrupted;

  PtxInstance(PtxProgram program, GlobalMemory memory, long[] addresses, long[] constantAddresses) {
    this.program = program;
    this.instructionLimit = DEFAULT_INSTRUCTION_LIMIT;
    this.output = text -> {};
    this.interrupted = () -> null;
    InitialValues values = new InitialValues(program, addresses);
    ConstantBank constants = constants(program, values, memory, constantAddresses);
    List<Variable> globals = program.globalVariables();
    for (int i = 0; i < globals.size(); i++) {
      values.write(globals.get(i), addresses[i], memory);
    }
    long[][] templates = new long[program.codes().size()][];
    Code[] codes = new Code[templates.length];
    for (Code code : program.codes().values()) {
      long[] template = code.template.clone();
      for (Code.Relocation relocation : code.relocations) {
        template[relocation.slot()] = addresses[relocation.global()] + relocation.offset();
      }
      templates[code.index] = template;
      codes[code.index] = code;
    }
    linked = new LinkedCode(constants, templates, codes);
  }

  private static ConstantBank constants(
      PtxProgram program, InitialValues values, GlobalMemory memory, long[] addresses) {
    List<Variable> variables = program.constantVariables();
    byte[] initial = new byte[(int) program.constantLayout().size()];
    int[] starts = new int[addresses.length];
    int[] ends = new int[addresses.length];
    for (int i = 0; i < variables.size(); i++) {
      Variable variable = variables.get(i);
      int offset = program.constantLayout().offset(variable).orElseThrow().intValue();
      if (i < addresses.length) {
        starts[i] = offset;
        ends[i] = offset + (int) variable.sizeInBytes();
        values.write(variable, addresses[i], memory);
      } else {
        values.write(variable, offset, initial);
      }
    }
    return new ConstantBank(initial, starts, ends, addresses);
  }

  private PtxInstance(
      PtxInstance other,
      long instructionLimit,
      Consumer<String> output,
      Supplier<@Nullable Thread> interrupted) {
    this.program = other.program;
    this.linked = other.linked;
    this.instructionLimit = instructionLimit;
    this.output = output;
    this.interrupted = interrupted;
  }

  /**
   * Returns an instance with another limit on the instructions of a launch.
   *
   * @param instructions how many instructions all threads of one launch may run together, give or
   *     take a few thousand; the default is {@link #DEFAULT_INSTRUCTION_LIMIT}
   * @return an instance that shares everything else with this one
   */
  public PtxInstance withInstructionLimit(long instructions) {
    if (instructions < 1) {
      throw new IllegalArgumentException("a limit of " + instructions + " lets no launch run");
    }
    return new PtxInstance(this, instructions, output, interrupted);
  }

  /**
   * Returns an instance with another receiver of what kernels print.
   *
   * @param receiver receives the text of each {@code printf} as one string, in the thread that runs
   *     the kernel; the default drops it
   * @return an instance that shares everything else with this one
   */
  public PtxInstance withOutput(Consumer<String> receiver) {
    return new PtxInstance(this, instructionLimit, receiver, interrupted);
  }

  /**
   * Returns an instance whose launches end if another thread is interrupted, as they do if the
   * thread that runs them is.
   *
   * @param other returns that thread; null while there is none
   * @return an instance that shares everything else with this one
   */
  public PtxInstance withInterruption(Supplier<@Nullable Thread> other) {
    return new PtxInstance(this, instructionLimit, output, other);
  }

  private PtxEntry entry(String name) {
    Optional<PtxEntry> entry = program.module().entry(name);
    return entry.orElseThrow(
        () ->
            new IllegalArgumentException(
                "the module has no entry '"
                    + name
                    + "'; it has "
                    + program.module().entries().stream().map(PtxEntry::name).toList()));
  }

  /**
   * Returns the total size of an entry's parameters.
   *
   * @param entry the entry's name
   * @return the bytes from the start of the first to the end of the last
   */
  public int parameterSpaceSize(String entry) {
    int end = 0;
    for (PtxParameter parameter : entry(entry).parameters()) {
      end = (int) Layout.aligned(end, parameter.alignment()) + parameter.sizeInBytes();
    }
    return end;
  }

  /**
   * Returns where one of an entry's parameters lies.
   *
   * @param entry the entry's name
   * @param index the parameter's index, from 0
   * @return its offset in bytes in the parameter space
   */
  public int parameterOffset(String entry, int index) {
    List<PtxParameter> parameters = entry(entry).parameters();
    int offset = 0;
    for (int i = 0; ; i++) {
      PtxParameter parameter = parameters.get(i);
      offset = (int) Layout.aligned(offset, parameter.alignment());
      if (i == index) {
        return offset;
      }
      offset += parameter.sizeInBytes();
    }
  }

  /** Returns why an entry cannot run, see {@link PtxProgram#refusal}. */
  public @Nullable PtxException refusal(String entry) {
    return program.refusal(entry);
  }

  /**
   * Runs a kernel to its end on the calling thread. Blocks run one after another in the order of
   * their linear index; the outcome depends only on the arguments and the memory's content.
   *
   * <p>If the calling thread is interrupted, a kernel ends with a fault once it has run some
   * millions of instructions; the thread stays interrupted.
   *
   * @param entry the entry's name
   * @param grid the shape of the launch
   * @param parameters the parameter space, of {@linkplain #parameterSpaceSize that size} at least
   * @param memory the global memory
   * @return how many instructions all threads together have run
   * @throws PtxFault if a thread does what it must not; the memory keeps what was stored until then
   * @throws PtxException if the entry cannot run, see {@link #refusal}
   * @throws IllegalArgumentException if there is no such entry or the parameters are too few
   */
  public long run(String entry, PtxGrid grid, byte[] parameters, GlobalMemory memory) {
    LaunchBudget budget = budget();
    ThreadBlock block = block(entry, grid, 0, parameters, memory, budget);
    for (int z = 0; z < grid.gridZ(); z++) {
      for (int y = 0; y < grid.gridY(); y++) {
        for (int x = 0; x < grid.gridX(); x++) {
          block.run(x, y, z);
        }
      }
    }
    return budget.spent();
  }

  /**
   * Runs a kernel like {@link #run}, but as a cooperative launch: its blocks take turns and may
   * wait for each other.
   *
   * @param entry the entry's name
   * @param grid the shape of the launch; all of its blocks are held in the host's memory at once
   * @param parameters the parameter space, of {@linkplain #parameterSpaceSize that size} at least
   * @param memory the global memory
   * @return how many instructions all threads together have run
   * @throws PtxFault if a thread does what it must not; the memory keeps what was stored until then
   * @throws IllegalArgumentException if there is no such entry or the parameters are too few
   */
  public long runTogether(String entry, PtxGrid grid, byte[] parameters, GlobalMemory memory) {
    GlobalMemory withWorkspace = new GridWorkspace(memory);
    LaunchBudget budget = budget();
    List<ThreadBlock> running = new ArrayList<>();
    for (int z = 0; z < grid.gridZ(); z++) {
      for (int y = 0; y < grid.gridY(); y++) {
        for (int x = 0; x < grid.gridX(); x++) {
          ThreadBlock block =
              block(entry, grid, GridWorkspace.ADDRESS, parameters, withWorkspace, budget);
          block.start(x, y, z);
          running.add(block);
        }
      }
    }
    while (!running.isEmpty()) {
      running.removeIf(block -> !block.turn());
    }
    return budget.spent();
  }

  private LaunchBudget budget() {
    return new LaunchBudget(instructionLimit, interrupted);
  }

  private ThreadBlock block(
      String entry,
      PtxGrid grid,
      long workspace,
      byte[] parameters,
      GlobalMemory memory,
      LaunchBudget budget) {
    PtxEntry described = entry(entry);
    int size = parameterSpaceSize(entry);
    if (parameters.length < size) {
      throw new IllegalArgumentException(
          entry + " takes " + size + " bytes of parameters, not " + parameters.length);
    }
    Code code = program.code(entry);
    if (code.refusal != null) {
      throw code.refusal;
    }
    int shared = (int) described.staticSharedBytes();
    return new ThreadBlock(
        code,
        grid,
        workspace,
        Arrays.copyOf(parameters, size),
        memory,
        linked,
        budget,
        output,
        shared);
  }
}
