package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The time until a copy between two devices has arrived. */
final class PeerRows implements RowGroup {
  private final Device device;
  private final Map<Integer, Copy> copies = new HashMap<>();
  private DeviceStream from;
  private DeviceStream to;

  /** Two arrays of one size. */
  private record Copy(DeviceArray<byte[]> source, DeviceArray<byte[]> target, DeviceStream stream) {
    void run() {
      target.copyFrom(stream, source);
      stream.synchronize();
    }
  }

  PeerRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("peer-copy-1-MiB", "peer-copy-1024-MiB");
  }

  /** Fails if there is only one device, which leaves the rows out. */
  @Override
  public void open() {
    DeviceGroup two = device.openTwo();
    from = two.get(0).streams().acquire();
    to = two.get(1).streams().acquire();
  }

  @Override
  public double measure(String row) {
    // Such as peer-copy-1-MiB.
    int mebibytes = Integer.parseInt(row.split("-", -1)[2]);
    Copy copy = copies.computeIfAbsent(mebibytes, this::make);
    return Batches.nanos(Batches.transfers(mebibytes), copy::run);
  }

  private Copy make(int mebibytes) {
    long bytes = (long) mebibytes << 20;
    return new Copy(
        from.runtime().memory().allocateZeroed(from, byte[].class, bytes),
        to.runtime().memory().allocateZeroed(to, byte[].class, bytes),
        to);
  }
}
