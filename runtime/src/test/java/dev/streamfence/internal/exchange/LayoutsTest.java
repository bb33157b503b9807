package dev.streamfence.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The fields of the native structures lie where a C compiler puts them. */
final class LayoutsTest {
  @Test
  void tensorsAreLaidOutAsInC() {
    assertThat(fields("DL")).isEqualTo(new TreeMap<>(tensors()));
  }

  private static Map<String, Integer> tensors() {
    Map<String, Integer> fields = new TreeMap<>();
    fields.put("DLTensor", TensorForm.TENSOR_BYTES);
    fields.put("DLTensor.data", TensorForm.DATA);
    fields.put("DLTensor.device.device_type", TensorForm.DEVICE_TYPE);
    fields.put("DLTensor.device.device_id", TensorForm.DEVICE_ID);
    fields.put("DLTensor.ndim", TensorForm.DIMENSIONS);
    fields.put("DLTensor.dtype.code", TensorForm.TYPE_CODE);
    fields.put("DLTensor.dtype.bits", TensorForm.TYPE_BITS);
    fields.put("DLTensor.dtype.lanes", TensorForm.TYPE_LANES);
    fields.put("DLTensor.shape", TensorForm.SHAPE);
    fields.put("DLTensor.strides", TensorForm.STRIDES);
    fields.put("DLTensor.byte_offset", TensorForm.BYTE_OFFSET);
    for (TensorForm form : TensorForm.values()) {
      fields.put(form.structure(), form.sizeInBytes());
      fields.put(form.structure() + ".dl_tensor", form.tensorAt());
      fields.put(form.structure() + ".manager_ctx", form.contextAt());
      fields.put(form.structure() + ".deleter", form.deleterAt());
    }
    String versioned = TensorForm.VERSIONED.structure();
    fields.put(versioned + ".version.major", TensorForm.MAJOR_AT);
    fields.put(versioned + ".version.minor", TensorForm.MINOR_AT);
    fields.put(versioned + ".flags", TensorForm.FLAGS_AT);
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
