package dev.streamfence.it.compare;

import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.arrow.ArrowTables;
import dev.streamfence.column.DeviceTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A table of Arrow Java: four columns of 64-bit numbers without nulls, 1 GiB. */
final class ArrowRows implements RowGroup {
  private static final int MEBIBYTES = 1024;
  private static final int COLUMNS = 4;
  private static final int ROWS = (MEBIBYTES << 20) / COLUMNS / Long.BYTES;

  private final Device device;
  private DeviceStream stream;
  private BufferAllocator allocator;
  private VectorSchemaRoot table;
  private DeviceTable onDevice;

  ArrowRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("arrow-up", "arrow-down", "arrow-down-again");
  }

  @Override
  public void open() {
    stream = device.open(RuntimeOptions.defaults()).streams().acquire();
    allocator = new RootAllocator();
    List<FieldVector> vectors = new ArrayList<>();
    for (int c = 0; c < COLUMNS; c++) {
      BigIntVector vector = new BigIntVector("c" + c, allocator);
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) {
        vector.set(i, i);
      }
      vector.setValueCount(ROWS);
      vectors.add(vector);
    }
    table = new VectorSchemaRoot(vectors);
    onDevice = ArrowTables.upload(stream, table);
    stream.synchronize();
  }

  @Override
  public double measure(String row) {
    Runnable transfer =
        switch (row) {
          case "arrow-up" -> this::upload;
          case "arrow-down" -> this::download;
          default -> this::downloadAgain;
        };
    return Batches.nanos(Batches.transfers(MEBIBYTES), transfer);
  }

  private void upload() {
    ArrowTables.upload(stream, table).close();
    stream.synchronize();
  }

  private void download() {
    ArrowTables.download(stream, allocator, onDevice).close();
  }

  /** Into the vectors that were uploaded: their memory is large enough, and was written before. */
  private void downloadAgain() {
    ArrowTables.downloadInto(stream, onDevice, table);
  }
}
