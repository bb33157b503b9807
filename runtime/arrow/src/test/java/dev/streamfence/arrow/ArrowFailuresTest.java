package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Driver calls that fail during a transfer leak nothing on either side. */
final class ArrowFailuresTest {
  private static final int INVALID_VALUE = 1;

  private final BufferAllocator allocator = new RootAllocator();
  private final MapDictionaryProvider dictionaries =
      new MapDictionaryProvider(
          new Dictionary(
              Vectors.words("words", allocator, "a", "b"),
              new DictionaryEncoding(0, false, new ArrowType.Int(32, true))));
  private final VectorSchemaRoot root = table();

  @AfterEach
  void nothingIsLeftInArrowsMemory() {
    root.close();
    dictionaries.close();
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  @Test
  void whicheverDriverCallFailsAnUploadLeavesNothing() {
    long calls = calls(false);
    assertThat(calls).isGreaterThan(20);
    for (int nth = 1; nth <= calls; nth++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
          DeviceStream stream = gpu.streams().acquire()) {
        device.failCall(nth, INVALID_VALUE);
        assertThatThrownBy(() -> ArrowTables.upload(stream, root, dictionaries))
            .as("call %s of %s", nth, calls)
            .isInstanceOf(CudaDriverException.class)
            .hasNoSuppressedExceptions();
        assertThat(gpu.memory().statistics().liveBytes()).as("call %s", nth).isZero();
      }
      assertThat(device.liveObjects()).as("call %s", nth).isZero();
    }
  }

  @Test
  void whicheverDriverCallFailsADownloadLeavesNothing() {
    long calls = calls(true);
    assertThat(calls).isGreaterThan(8);
    long before = allocator.getAllocatedMemory();
    for (int nth = 1; nth <= calls; nth++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
          DeviceStream stream = gpu.streams().acquire();
          DeviceTable table = ArrowTables.upload(stream, root, dictionaries);
          MapDictionaryProvider brought = new MapDictionaryProvider()) {
        stream.synchronize();
        device.failCall(nth, INVALID_VALUE);
        try {
          ArrowTables.download(stream, allocator, table, brought).close();
        } catch (CudaDriverException e) {
          assertThat(brought.getDictionaryIds()).as("call %s", nth).isEmpty();
          assertThat(e.getSuppressed()).as("call %s", nth).isEmpty();
        }
      }
      assertThat(allocator.getAllocatedMemory()).as("call %s", nth).isEqualTo(before);
    }
  }

  @Test
  void whicheverDriverCallFailsTheVectorsOfTheCallerCanBeUsed() {
    long calls = calls(true);
    long before = allocator.getAllocatedMemory();
    int failures = 0;
    for (int nth = 1; nth <= calls; nth++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
          DeviceStream stream = gpu.streams().acquire();
          DeviceTable table = ArrowTables.upload(stream, root, dictionaries);
          MapDictionaryProvider words =
              new MapDictionaryProvider(
                  new Dictionary(
                      Vectors.words("words", allocator, "other", "c", "d"),
                      dictionaries.lookup(0).getEncoding()));
          VectorSchemaRoot reused = VectorSchemaRoot.create(root.getSchema(), allocator)) {
        reused.allocateNew();
        reused.setRowCount(9);
        stream.synchronize();
        device.failCall(nth, INVALID_VALUE);
        try {
          ArrowTables.downloadInto(stream, table, reused, words);
        } catch (CudaDriverException e) {
          failures++;
          assertThat(e.getSuppressed()).as("call %s", nth).isEmpty();
          assertThat(reused.getRowCount()).as("call %s", nth).isZero();
          assertThat(allocator.getAllocatedMemory()).as("call %s", nth).isEqualTo(before);
          ArrowTables.downloadInto(stream, table, reused, words);
        }
        assertThat(reused.getRowCount()).as("call %s", nth).isEqualTo(4);
        for (int i = 0; i < 3; i++) {
          assertThat(Vectors.rows(reused.getVector(i)))
              .as("call %s", nth)
              .isEqualTo(Vectors.rows(root.getVector(i)));
        }
        assertThat(Vectors.rows(words.lookup(0).getVector()))
            .as("call %s", nth)
            .isEqualTo(Vectors.rows(dictionaries.lookup(0).getVector()));
      }
      assertThat(allocator.getAllocatedMemory()).as("call %s", nth).isEqualTo(before);
    }
    assertThat(failures).isGreaterThan(8);
  }

  @Test
  void aBudgetThatIsTooSmallLeavesNothing() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    RuntimeOptions options = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(60));
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, options);
        DeviceStream stream = gpu.streams().acquire()) {
      assertThatThrownBy(() -> ArrowTables.upload(stream, root, dictionaries))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
  }

  /** How many driver calls an upload or a download makes. */
  private long calls(boolean download) {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      long before = device.calls();
      try (DeviceTable table = ArrowTables.upload(stream, root, dictionaries);
          MapDictionaryProvider brought = new MapDictionaryProvider()) {
        long uploaded = device.calls() - before;
        if (!download) {
          return uploaded;
        }
        stream.synchronize();
        before = device.calls();
        ArrowTables.download(stream, allocator, table, brought).close();
        return device.calls() - before;
      }
    }
  }

  /** Text, numbers and codes, all with nulls. */
  private VectorSchemaRoot table() {
    VarCharVector text = Vectors.words("t", allocator, "größe", "", "x", "y");
    text.setNull(2);
    IntVector numbers = new IntVector("i", allocator);
    IntVector codes =
        new IntVector(
            "d",
            new FieldType(true, new ArrowType.Int(32, true), dictionaries.lookup(0).getEncoding()),
            allocator);
    for (IntVector each : List.of(numbers, codes)) {
      each.allocateNew(4);
      for (int row = 0; row < 3; row++) {
        each.set(row, row % 2);
      }
      each.setNull(3);
      each.setValueCount(4);
    }
    VectorSchemaRoot made = new VectorSchemaRoot(List.<FieldVector>of(text, numbers, codes));
    made.setRowCount(4);
    return made;
  }
}
