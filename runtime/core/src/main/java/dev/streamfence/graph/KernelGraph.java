package dev.streamfence.graph;

import dev.streamfence.Completion;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.graph.TrackedGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Launches, fills and copies that were recorded once and run with one call, independent ones side
 * by side. {@link dev.streamfence.DeviceRuntime#graph} records it.
 *
 * <p>A launch of the graph is one piece of tracked work that uses everything its nodes use: it
 * waits for earlier work on that memory, and later work waits for it. A graph runs once at a time;
 * a launch comes after the graph's earlier launches, on whichever stream they are.
 *
 * <p>The graph holds the memory that it uses until it is closed or recorded again. An array that is
 * closed meanwhile refuses uses outside of the graph, and its memory is freed when the graph
 * releases it; a pinned array cannot be closed before. Closing the runtime closes its graphs:
 * launching or changing one then throws a {@link dev.streamfence.RuntimeClosedException}.
 *
 * <p>Thread-safe.
 */
public sealed interface KernelGraph extends AutoCloseable permits TrackedGraph {
  /** Its name, for errors and traces. */
  String name();

  /**
   * Queues a run. Does not synchronise, allocates no Java memory, and makes one driver call,
   * besides the waits and the event that a launch of a kernel would need, and one for each node
   * whose arguments have changed.
   *
   * <p>Counts each upload and download among the nodes once, in the memory of the array that the
   * code has named, also if a condition repeats it or leaves it out: the device decides about that.
   *
   * @param stream any stream of the runtime
   * @throws IllegalStateException if the graph is closed, a module of its kernels is unloaded, or a
   *     node downloads while downloads are {@linkplain dev.streamfence.DeviceMemory#refuseDownloads
   *     refused}
   * @throws dev.streamfence.UseAfterFreeException if a node uses a part of an array that was joined
   * @throws dev.streamfence.UninitializedReadException if a node reads {@linkplain
   *     dev.streamfence.RuntimeOptions#withGuardMemory guarded memory} that nothing has written
   * @throws dev.streamfence.StreamMisuseException if the stream belongs to another runtime, memory
   *     is split into parts, or this thread has a launch open or records a graph
   * @throws dev.streamfence.CudaDriverException if the device is lost, or a driver call fails
   */
  void launch(DeviceStream stream);

  /** Queues a run like {@link #launch}, and returns its completion. */
  Completion launchWithCompletion(DeviceStream stream);

  /**
   * Lets later launches use another array for an input. It stays until the next call. Makes no
   * driver call. Launches that are queued keep the arrays that they were launched with.
   *
   * @param input its name in the recording
   * @param array has the element type and the length of the recorded one; it may be a view or a
   *     part. The graph holds it from now on, and the one before no longer.
   * @return this graph
   * @throws IllegalArgumentException if the graph has no such input
   * @throws dev.streamfence.KernelArgumentException if the array is null, or its element type or
   *     length is another; names a kernel and a parameter that take it
   * @throws dev.streamfence.UseAfterFreeException if the array is closed
   * @throws dev.streamfence.StreamMisuseException if it belongs to another runtime, is read-only
   *     and a node writes it, or shares memory with what else the graph uses and either is written
   * @throws IllegalStateException if the graph is closed
   */
  KernelGraph bind(String input, ReadableArray<?> array);

  /**
   * Binds several inputs at once, like {@link #bind(String, ReadableArray)}: only the arrays that
   * are used afterwards must not share memory, so that two inputs can be swapped. All are bound, or
   * none.
   *
   * @param arrays an array for each input that changes
   * @return this graph
   */
  KernelGraph bind(Map<String, ? extends ReadableArray<?>> arrays);

  /**
   * Changes a number that later launches pass to a kernel, or fill with. It stays until the next
   * call. Makes no driver call. Launches that are queued keep the numbers that they were launched
   * with.
   *
   * @param node the index of a launch or a fill, see {@link #nodes}
   * @param parameter {@code value} of a fill, or a number or the number of threads of a kernel; a
   *     field of a structure has the structure's name in front, such as {@code batch.scale}
   * @param value of the parameter's or the filled element's type, boxed: an {@link Integer} for an
   *     {@code int}
   * @return this graph
   * @throws IndexOutOfBoundsException if there is no such node
   * @throws IllegalArgumentException if the node has no such number: copies and conditions have
   *     none, nor have fills of elements of 8 bytes and those that clear records
   * @throws dev.streamfence.KernelArgumentException if it has another type, or a launch with it
   *     would be refused: the kernel would leave an array, or the grid would be too large; nothing
   *     has changed then
   * @throws IllegalStateException if the graph is closed
   */
  KernelGraph set(int node, String parameter, Object value);

  /**
   * The numbers of a node that {@link #set} changes, by their names, as later launches pass them,
   * boxed. A fill has one, {@code value}. Unmodifiable, and does not follow later changes.
   *
   * @param node the index of a launch or a fill, see {@link #nodes}
   * @throws IndexOutOfBoundsException if there is no such node
   * @throws IllegalArgumentException if the node has no numbers
   * @throws IllegalStateException if the graph is closed
   */
  Map<String, Object> numbersOf(int node);

  /**
   * Records the graph again, such as for arrays of another length. Later launches run what is
   * recorded now, with the inputs that the code names now; launches that are queued still run what
   * was recorded before. If the new nodes are of the same kinds and have the same edges, the driver
   * updates the executable graph that it has, {@code cuGraphExecUpdate}; otherwise it makes another
   * one, which takes longer. Meanwhile the memory of both recordings counts in the budget.
   *
   * @param code as that of {@link dev.streamfence.DeviceRuntime#graph}
   * @return this graph
   * @throws X as the code; the graph is as before then
   * @throws IllegalStateException if the graph is closed
   * @throws dev.streamfence.StreamMisuseException as {@link dev.streamfence.DeviceRuntime#graph}
   * @throws dev.streamfence.CudaDriverException if the driver refuses; the graph is as before,
   *     unless only the release of the earlier recording failed, which a later call tries again
   */
  <X extends Exception> KernelGraph recordAgain(GraphCode<X> code) throws X;

  /** The names of its inputs, in the order of the recording; unmodifiable. */
  List<String> inputs();

  /** Its nodes, in the order of the recording; unmodifiable. */
  List<GraphNode> nodes();

  /** Its edges, in the order of the nodes that wait; unmodifiable. */
  List<GraphEdge> edges();

  /** The counts so far. */
  GraphStatistics statistics();

  /** The graph in the language of Graphviz, with the reasons of its edges. */
  String toDot();

  /**
   * Writes a picture of the graph, as SVG. Each node has the reasons for which it waits as a
   * tooltip.
   *
   * @throws IOException if the file cannot be written
   */
  void writeSvg(Path file) throws IOException;

  /**
   * Whether neither it nor its runtime is closed. A launch may be refused all the same, as on a
   * lost device or if a module of its kernels was unloaded.
   */
  boolean isOpen();

  /**
   * Destroys the graph and frees what it alone holds. Runs that are queued still run. Waits for
   * them if a kernel takes a table of arrays, and for another thread that is launching the graph;
   * otherwise does not synchronise. Idempotent.
   *
   * @throws dev.streamfence.CudaDriverException if the driver refuses: the graph is closed and its
   *     memory freed all the same, and a later call, or that of the runtime, tries again
   * @throws dev.streamfence.StreamMisuseException in the code of a graph, or inside of a launch of
   *     this thread while another thread launches the graph
   */
  @Override
  void close();
}
