package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The fields of the native structures lie where a C compiler puts them. */
final class LayoutsTest {
  @Test
  void tensorsAreLaidOutAsInC() {
    assertThat(fields("DL")).isEqualTo(tensors());
  }

  @Test
  void arraysAreLaidOutAsInC() {
    assertThat(fields("Arrow")).isEqualTo(arrays());
  }

  private static Map<String, Integer> arrays() {
    Map<String, Integer> fields = new TreeMap<>();
    fields.put("ArrowSchema", OfSchema.BYTES);
    fields.put("ArrowSchema.format", OfSchema.FORMAT);
    fields.put("ArrowSchema.name", OfSchema.NAME);
    fields.put("ArrowSchema.metadata", OfSchema.METADATA);
    fields.put("ArrowSchema.flags", OfSchema.FLAGS);
    fields.put("ArrowSchema.n_children", OfSchema.CHILD_COUNT);
    fields.put("ArrowSchema.children", OfSchema.CHILDREN);
    fields.put("ArrowSchema.dictionary", OfSchema.DICTIONARY);
    fields.put("ArrowSchema.release", OfSchema.RELEASE);
    fields.put("ArrowSchema.private_data", OfSchema.PRIVATE);
    fields.put("ArrowArray", OfArray.BYTES);
    fields.put("ArrowArray.length", OfArray.LENGTH);
    fields.put("ArrowArray.null_count", OfArray.NULL_COUNT);
    fields.put("ArrowArray.offset", OfArray.OFFSET);
    fields.put("ArrowArray.n_buffers", OfArray.BUFFER_COUNT);
    fields.put("ArrowArray.n_children", OfArray.CHILD_COUNT);
    fields.put("ArrowArray.buffers", OfArray.BUFFERS);
    fields.put("ArrowArray.children", OfArray.CHILDREN);
    fields.put("ArrowArray.dictionary", OfArray.DICTIONARY);
    fields.put("ArrowArray.release", OfArray.RELEASE);
    fields.put("ArrowArray.private_data", OfArray.PRIVATE);
    fields.put("ArrowDeviceArray", OfDeviceArray.BYTES);
    fields.put("ArrowDeviceArray.array", 0);
    fields.put("ArrowDeviceArray.device_id", OfDeviceArray.DEVICE_ID);
    fields.put("ArrowDeviceArray.device_type", OfDeviceArray.DEVICE_TYPE);
    fields.put("ArrowDeviceArray.sync_event", OfDeviceArray.SYNC_EVENT);
    fields.put("ArrowDeviceArray.reserved", OfDeviceArray.RESERVED);
    return fields;
  }

  private static Map<String, Integer> tensors() {
    Map<String, Integer> fields = new TreeMap<>();
    fields.put("DLTensor", Form.TENSOR_BYTES);
    fields.put("DLTensor.data", Form.DATA);
    fields.put("DLTensor.device.device_type", Form.DEVICE_TYPE);
    fields.put("DLTensor.device.device_id", Form.DEVICE_ID);
    fields.put("DLTensor.ndim", Form.DIMENSIONS);
    fields.put("DLTensor.dtype.code", Form.TYPE_CODE);
    fields.put("DLTensor.dtype.bits", Form.TYPE_BITS);
    fields.put("DLTensor.dtype.lanes", Form.TYPE_LANES);
    fields.put("DLTensor.shape", Form.SHAPE);
    fields.put("DLTensor.strides", Form.STRIDES);
    fields.put("DLTensor.byte_offset", Form.BYTE_OFFSET);
    for (Form form : Form.values()) {
      fields.put(form.structure(), form.sizeInBytes());
      fields.put(form.structure() + ".dl_tensor", form.tensorAt());
      fields.put(form.structure() + ".manager_ctx", form.contextAt());
      fields.put(form.structure() + ".deleter", form.deleterAt());
    }
    String versioned = Form.VERSIONED.structure();
    fields.put(versioned + ".version.major", Form.MAJOR_AT);
    fields.put(versioned + ".version.minor", Form.MINOR_AT);
    fields.put(versioned + ".flags", Form.FLAGS_AT);
    return fields;
  }

  /** What C says of the structures whose names begin like this. */
  private static Map<String, Integer> fields(String prefix) {
    return CLibrary.run("layouts.c")
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.split(" "))
        .collect(
            Collectors.toMap(
                words -> words[0], words -> Integer.valueOf(words[1]), (a, b) -> a, TreeMap::new));
  }
}
