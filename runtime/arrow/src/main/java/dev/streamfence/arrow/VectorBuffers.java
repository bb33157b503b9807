package dev.streamfence.arrow;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VariableWidthVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/**
 * The buffers of a vector while they are filled. Meanwhile the vector has none, so that it is valid
 * whatever fails, and a buffer that is too small is freed before the next one is allocated.
 * Confined to one thread.
 */
final class VectorBuffers implements AutoCloseable {
  private final FieldVector vector;

  /** In Arrow's order; each is a reference of its own. */
  private final List<ArrowBuf> buffers = new ArrayList<>();

  /** Takes the buffers out of a vector. */
  VectorBuffers(FieldVector vector) {
    this.vector = vector;
    buffers.add(vector.getValidityBuffer());
    if (vector instanceof VariableWidthVector) {
      buffers.add(vector.getOffsetBuffer());
    }
    buffers.add(vector.getDataBuffer());
    buffers.forEach(buffer -> buffer.getReferenceManager().retain());
    vector.clear();
  }

  ArrowBuf validity(long bytes) {
    return atLeast(0, bytes);
  }

  ArrowBuf offsets(long bytes) {
    return atLeast(1, bytes);
  }

  ArrowBuf values(long bytes) {
    return atLeast(buffers.size() - 1, bytes);
  }

  /** Gives the buffers to the vector. */
  void load(int rows) {
    // Arrow takes a bitmap that is there as it is, whatever the number of nulls.
    vector.loadFieldBuffers(new ArrowFieldNode(rows, 0), buffers);
  }

  /** Drops the references; a vector that was loaded has taken its own. */
  @Override
  public void close() {
    buffers.forEach(ArrowBuf::close);
  }

  private ArrowBuf atLeast(int index, long bytes) {
    if (buffers.get(index).capacity() < bytes) {
      buffers.set(index, vector.getAllocator().getEmpty()).close();
      buffers.set(index, vector.getAllocator().buffer(bytes));
    }
    return buffers.get(index);
  }
}
