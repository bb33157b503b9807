package dev.streamfence.graph;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.graph.TrackedGraphBody;

/**
 * A graph while it is recorded: what its code can say besides the launches themselves. Confined to
 * the thread that records, until the code returns.
 */
public sealed interface GraphBody permits TrackedGraphBody {
  /**
   * Says that each launch of the graph may use another array instead of this one, see {@link
   * KernelGraph#bind}. At first the array itself is used.
   *
   * @param name identifies it in the graph
   * @param array a whole array with elements; no view or part of one
   * @return the array
   * @throws IllegalArgumentException if there is such an input already, or the array has no
   *     elements or is used by a node already
   * @throws dev.streamfence.StreamMisuseException if it is a view or a part, belongs to another
   *     runtime, or this is not the code that records the graph
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  <R extends ReadableArray<?>> R input(String name, R array);

  /**
   * Allocates an array for results between the nodes. Its content is undefined when a launch of the
   * graph begins. It belongs to the graph: closing the graph frees it, and closing it earlier only
   * forbids further uses. It counts as an array of the runtime's memory.
   *
   * @param stream the stream that it is allocated on
   * @param arrayType as in {@link dev.streamfence.DeviceMemory#allocate}
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is no memory for it
   * @throws dev.streamfence.StreamMisuseException if this is not the code that records the graph
   */
  <A> DeviceArray<A> scratch(DeviceStream stream, Class<A> arrayType, long length);

  /**
   * Repeats a part of the graph, as long as a number on the device is not 0. The number is read
   * when the loop's turn comes, so that it may run no pass at all, and after each pass. The device
   * decides, without the host: a loop whose number never becomes 0 never ends.
   *
   * <p>Nodes of a pass run side by side where they can. The next pass comes after all of them, and
   * the rest of the graph sees the loop as one node, which uses what its nodes use. Loops and
   * conditions can be nested.
   *
   * @param number its first element decides; no input of the graph
   * @param code records the nodes of a pass, like the code of the graph: it runs once, now
   * @throws IllegalArgumentException if no node of the loop writes the number, or it has no
   *     elements
   * @throws dev.streamfence.UseAfterFreeException if the number is closed
   * @throws dev.streamfence.StreamMisuseException if it belongs to another runtime, the thread has
   *     a launch open, or this is not the code that records the graph; or, at the end of the
   *     graph's code, if the number is an input
   * @throws dev.streamfence.CudaDriverException if the driver has no loops, see {@link
   *     dev.streamfence.DeviceInfo#supportsGraphConditions}; nothing is recorded then
   */
  <X extends Exception> void whileNonZero(ReadableArray<int[]> number, GraphCode<X> code) throws X;

  /**
   * Leaves a part of the graph out if a number on the device is 0 when its turn comes, see {@link
   * #whileNonZero}. Without a node in the part, there is no condition.
   *
   * <p>Throws what {@link #whileNonZero} does, but for a part that does not write the number.
   */
  <X extends Exception> void ifNonZero(ReadableArray<int[]> number, GraphCode<X> code) throws X;
}
