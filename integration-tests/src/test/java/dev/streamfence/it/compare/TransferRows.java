package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The time until the data has arrived. */
final class TransferRows implements RowGroup {
  private static final int COPYING_THREADS = 8;

  private final Device device;
  private final ByteBuffer source = ByteBuffer.allocateDirect(16 << 20);
  private final Map<Integer, Buffers> buffers = new HashMap<>();
  private DeviceStream stream;

  /** Memory of one size. */
  private record Buffers(DeviceArray<byte[]> array, byte[] pageable, PinnedArray<byte[]> pinned) {
    static Buffers of(DeviceStream stream, int mebibytes) {
      DeviceRuntime runtime = stream.runtime();
      byte[] pageable = new byte[mebibytes << 20];
      Buffers buffers =
          new Buffers(
              runtime.memory().upload(stream, pageable),
              pageable,
              runtime.memory().pinned(byte[].class, pageable.length));
      buffers.array().download(stream, buffers.pinned());
      runtime.synchronize();
      return buffers;
    }
  }

  TransferRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of(
        "pageable-up-1-MiB",
        "pageable-down-1-MiB",
        "pageable-up-16-MiB",
        "pageable-down-16-MiB",
        "pageable-up-1024-MiB",
        "pageable-down-1024-MiB",
        "host-copy-1024-MiB",
        "pinned-up-1-MiB",
        "pinned-down-1-MiB",
        "pinned-up-1024-MiB",
        "pinned-down-1024-MiB",
        "one-int-down");
  }

  @Override
  public void open() {
    stream = device.open(RuntimeOptions.defaults()).streams().acquire();
  }

  @Override
  public double measure(String row) {
    if (row.equals("one-int-down")) {
      return oneInt();
    }
    // Such as pinned-up-16-MiB.
    String[] words = row.split("-", -1);
    int mebibytes = Integer.parseInt(words[2]);
    Buffers of = buffers.computeIfAbsent(mebibytes, size -> Buffers.of(stream, size));
    Runnable copy =
        switch (words[0] + " " + words[1]) {
          case "pageable up" -> () -> of.array().upload(stream, of.pageable());
          case "pageable down" -> () -> of.array().download(stream, of.pageable());
          case "host copy" -> () -> copyOnHost(of.pageable());
          case "pinned up" -> () -> of.array().upload(stream, of.pinned());
          case "pinned down" -> () -> of.array().download(stream, of.pinned());
          default -> throw new IllegalArgumentException(row);
        };
    return Batches.nanos(
        Batches.transfers(mebibytes),
        () -> {
          copy.run();
          stream.synchronize();
        });
  }

  /** Copies as staging threads do, from memory that is smaller than the target. */
  private void copyOnHost(byte[] target) {
    int part = target.length / COPYING_THREADS;
    IntStream.range(0, COPYING_THREADS)
        .parallel()
        .forEach(
            thread -> {
              for (int at = 0; at < part; at += source.capacity()) {
                source.get(0, target, thread * part + at, source.capacity());
              }
            });
  }

  private double oneInt() {
    try (DeviceArray<int[]> counter =
        stream.runtime().memory().allocateZeroed(stream, int[].class, 1)) {
      return Batches.nanosEach(
          () -> {
            for (int i = 0; i < Batches.OPERATIONS; i++) {
              DeviceArrays.getInt(counter, stream, 0);
            }
          },
          () -> {});
    }
  }
}
