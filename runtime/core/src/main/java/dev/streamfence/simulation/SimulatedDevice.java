package dev.streamfence.simulation;

import dev.streamfence.DeviceSimulation;
import dev.streamfence.RacyAccessException;
import dev.streamfence.internal.Services;
import java.util.List;
import java.util.function.Consumer;

/**
 * A simulated device that needs no GPU; {@code DeviceRuntime.simulated(device)} opens it. It runs
 * the PTX that is loaded on it, byte for byte in its own memory, and is deterministic for one
 * thread: the same calls give the same order and the same addresses. It reuses freed addresses as
 * early as the driver's rules allow.
 *
 * <p>A kernel that touches memory outside every allocation ends the device as it would end a GPU's
 * context; the error gives the launch, thread, argument and address, and the line of the PTX and,
 * if the PTX has it, of the source. An access that races with another one also ends the device,
 * regardless of the order in which the two ran; the error is then a {@link RacyAccessException}.
 * Two operations conflict if one of them writes, allocates or frees a byte that the other one uses.
 * They are ordered by their stream, by events that streams wait for, and by what the host waits for
 * before it submits the second. Atomic accesses count as ordinary ones: the order of launches is
 * declared for whole parameters.
 *
 * <p>The artifact {@code streamfence-simulator} implements it; a runtime refuses other
 * implementations.
 *
 * <p>Thread-safe. A kernel runs in the thread that calls the driver when the schedule selects it:
 * the one that launches, or one that waits. The device holds one lock meanwhile. {@link
 * Builder#instructionsPerLaunch} stops a kernel that never ends, and so does interrupting the
 * thread that runs it, or one that waits for it: once one of its threads has run a million
 * instructions, or all of them a billion, the kernel stops, the device is lost with {@code
 * CUDA_ERROR_LAUNCH_TIMEOUT} and a cause that says so, also for other threads, and the thread stays
 * interrupted. Shorter kernels run to their end despite an interruption.
 */
public non-sealed interface SimulatedDevice extends DeviceSimulation {
  /**
   * Creates a builder with default settings.
   *
   * @throws IllegalStateException if {@code streamfence-simulator} is not on the class path or
   *     module path
   */
  static Builder builder() {
    return Services.create(Builder.class, "dev.streamfence:streamfence-simulator");
  }

  /** How often one driver call was made since the device was built, including failed calls. */
  long calls(DriverCall call);

  /** How many driver calls were made since the device was built, including failed calls. */
  long calls();

  /**
   * Makes one driver call fail without any effect.
   *
   * @param call the call
   * @param nth counts from now: 1 is the next call of that kind
   * @param code the {@code CUresult} that it returns
   * @throws IllegalArgumentException if {@code nth} is less than 1, or the code is 0, a success
   */
  void failCall(DriverCall call, long nth, int code);

  /**
   * Makes the n-th driver call of any kind from now fail without any effect.
   *
   * @param code the {@code CUresult} that it returns
   * @throws IllegalArgumentException if {@code nth} is less than 1, or the code is 0, a success
   */
  void failCall(long nth, int code);

  /**
   * The failures planned by {@code failCall} that have not occurred yet: each with its call,
   * counted from now, and its code. A runtime that closes while some remain logs them as a warning,
   * by the {@link System.Logger} of this interface's name.
   */
  List<String> pendingFailures();

  /**
   * The number of streams, events, device and host allocations and modules that exist at this
   * moment: 0 after an orderly close.
   */
  int liveObjects();

  /**
   * A library that uses this device beside the runtime, for tests of adopted memory, adopted
   * streams and submitted calls.
   *
   * @param name its name in reports
   */
  SimulatedLibrary library(String name);

  /**
   * Switches from throwing races and other wrong accesses to collecting them for {@link #findings},
   * which cannot be undone: from now on they do not end the device, and an access to freed memory
   * ends only its own kernel or copy.
   */
  void collectFindings();

  /**
   * The findings since {@link #collectFindings}, in the order in which they were found. First runs
   * everything queued, so that all of it is checked; this does not order anything.
   */
  List<RacyAccessException.Finding> findings();

  /** Builds a simulated device. Confined to one thread at a time. */
  interface Builder {
    /**
     * Device memory; 2 GiB by default. One array may take all of it. The Java heap provides the
     * memory when an allocation is submitted: an allocation too large for the heap fails like one
     * too large for the device, with {@code CUDA_ERROR_OUT_OF_MEMORY}.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    Builder memoryInBytes(long bytes);

    /**
     * Device memory of one of several devices; that of the others is {@link #memoryInBytes(long)}.
     *
     * @param device its number, from 0
     * @throws IllegalArgumentException if a number is less than 0, or the bytes are less than 1;
     *     {@link #build(int)} throws it if there is no such device
     */
    Builder memoryInBytes(int device, long bytes);

    /** When queued work runs; {@link Schedule#EAGER} by default. */
    Builder schedule(Schedule schedule);

    /** The seed of {@link Schedule#RANDOM}; 0 by default. */
    Builder seed(long seed);

    /**
     * The compute capability that it reports; 9.0 by default.
     *
     * @throws IllegalArgumentException if it is before 1.0
     */
    Builder computeCapability(int major, int minor);

    /**
     * The number of multiprocessors that it reports; 1 by default. All run on one thread of the
     * host.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    Builder multiprocessors(int count);

    /**
     * The most threads that one multiprocessor holds at the same time; 2048 by default, as with
     * compute capability 9.0. It bounds the grid of a cooperative launch, and the block size that
     * occupancy suggests.
     *
     * @throws IllegalArgumentException if it is less than 1024, the size of the largest block, or
     *     not a multiple of 32, the size of a warp
     */
    Builder threadsPerMultiprocessor(int threads);

    /**
     * The most blocks that one multiprocessor holds at the same time; 32 by default, as with
     * compute capability 9.0.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    Builder blocksPerMultiprocessor(int blocks);

    /**
     * Shared memory of one multiprocessor; 228 KiB by default, as with compute capability 9.0. A
     * block takes 1 KiB more than it uses, so one block can opt in to 1 KiB less than this.
     *
     * @throws IllegalArgumentException if it is less than 49 KiB, which a block with 48 KiB needs
     */
    Builder sharedBytesPerMultiprocessor(int bytes);

    /**
     * How many instructions all threads of one launch run together before the device regards the
     * kernel as endless: the launch then fails with {@code CUDA_ERROR_LAUNCH_TIMEOUT}, which ends
     * the device. About 17 billion by default, which take a minute or two.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    Builder instructionsPerLaunch(long instructions);

    /**
     * Receives what kernels print with {@code printf}; by default, {@link System.Logger} of this
     * interface's name, at the level {@code INFO}. Each call of {@code printf} is one string, as
     * the C library on Linux formats it, with the line feeds that the kernel prints. The receiver
     * gets the strings while the kernel runs, in the order of the calls: block after block, and
     * within a block in an order that depends on the kernel and its input only.
     *
     * <p>The thread that runs the kernel calls it and holds the device's lock: it must not use the
     * device. An exception that it throws ends the device.
     */
    Builder kernelOutput(Consumer<String> receiver);

    /**
     * Whether to check accesses: races, uses of memory that is freed or not ready, and kernels that
     * access more than they declare. True by default; kernels then take up to twice as long. A
     * launch that touches an array only in words narrower than its elements, side by side, is
     * logged as a warning, once per parameter.
     */
    Builder checkRaces(boolean check);

    /**
     * Whether to check the threads of a launch against each other as well, in global and in shared
     * memory, if accesses are checked at all; true by default. Two accesses of different threads to
     * the same bytes, one of them a store, are an error unless something orders them: a barrier of
     * the block, the warp or the grid, or a release that the other thread acquires in its scope.
     * Atomic and other strong accesses (volatile, relaxed, acquire, release) do not conflict with
     * each other if each is in the other's scope. Stores of the same value are logged as a warning.
     */
    Builder checkThreadRaces(boolean check);

    /**
     * Whether it is also an error to read bytes that were not written since the allocation, or
     * shared memory that the block has not written, if accesses are checked at all; false by
     * default.
     */
    Builder checkUninitializedReads(boolean check);

    /**
     * Whether each operation records where the host submitted it, for reports; each takes a stack
     * trace. False by default.
     */
    Builder traceSubmissions(boolean trace);

    /** Builds the device, not yet open. */
    SimulatedDevice build();

    /**
     * Builds several devices of one machine, numbered from 0 and not yet open. Arrays can be copied
     * between them, and accesses are checked across them: a race ends all of them, and {@link
     * SimulatedDevice#collectFindings} of one collects the findings of all. Each has memory of its
     * own, and addresses that no other one has: where peer access is off, a kernel that touches the
     * memory of another device touches memory outside every allocation. All devices can be opened
     * again after they were closed; the memory is empty then.
     *
     * @param devices how many
     * @throws IllegalArgumentException if it is less than 1
     */
    List<SimulatedDevice> build(int devices);
  }
}
