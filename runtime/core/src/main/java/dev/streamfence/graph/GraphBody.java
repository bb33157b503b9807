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
   * @throws dev.streamfence.StreamMisuseException if it is a view, a part or a variable, is closed
   *     or belongs to another runtime, or this is not the code that records the graph
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
}
