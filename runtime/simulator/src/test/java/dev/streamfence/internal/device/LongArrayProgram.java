package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A process of its own, whose heap has room for an array of more than 2³¹ elements: transfers
 * ranges of it. Ends with 0 if all went well.
 */
final class LongArrayProgram {
  private static final long LENGTH = (1L << 31) + 2000;
  private static final long FAR = (1L << 31) + 500;

  private LongArrayProgram() {}

  public static void main(String[] arguments) {
    SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(1L << 40).build();
    RuntimeOptions options = RuntimeOptions.defaults().withStagingThreads(2);
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, options);
        DeviceStream stream = gpu.streams().acquire();
        PinnedArray<byte[]> host = gpu.memory().pinned(byte[].class, 100);
        DeviceArray<byte[]> array = gpu.memory().allocateZeroed(stream, byte[].class, LENGTH)) {
      byte[] values = {1, 2, 3};
      array.upload(stream, FAR, values, 0, 3);
      require(Arrays.equals(array.download(stream, FAR, 3), values), "an upload");
      require(DeviceArrays.getByte(array, stream, FAR + 2) == 3, "an element");
      require(DeviceArrays.getByte(array, stream, FAR + 3) == 0, "a neighbour");
      DeviceArrays.setByte(array, stream, LENGTH - 1, (byte) 9);
      array.fill(stream, FAR + 10, 2, 7);
      array.copyFrom(stream, 40, array, FAR, 20);
      byte[] copied = array.downloadLater(stream, 40, 20).value();
      require(copied[1] == 2 && copied[11] == 7 && copied[12] == 0, "a copy");
      ByteBuffer buffer = ByteBuffer.allocate(3).order(ByteOrder.nativeOrder());
      array.view(1L << 31, 2000).download(stream, 1997, buffer);
      require(buffer.get(2) == 9, "a view");
      array.download(stream, FAR, host, 50, 3);
      require(Arrays.equals(host.get(50, 3), values), "a pinned download");
      // Across the border, in more pieces than staging memory has.
      int count = 20 << 20;
      byte[] many = array.download(stream, FAR + 3 - count, count);
      require(many[count - 3] == 1 && many[count - 1] == 3, "a range across the border");
      refused(() -> array.download(stream));
      refused(() -> array.downloadLater(stream));
      refused(() -> array.download(stream, LENGTH - 1, 2));
      refused(() -> array.fill(stream, Long.MAX_VALUE, 2, 1));
      refused(() -> array.view(2, Long.MAX_VALUE));
      refused(() -> array.upload(stream, LENGTH - 2, values, 0, 3));
    }
    require(device.liveObjects() == 0, device.liveObjects() + " objects");
  }

  private static void refused(Runnable operation) {
    try {
      operation.run();
    } catch (IllegalArgumentException e) {
      return;
    }
    throw new AssertionError("a wrong range is not refused");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what + " is wrong");
    }
  }
}
