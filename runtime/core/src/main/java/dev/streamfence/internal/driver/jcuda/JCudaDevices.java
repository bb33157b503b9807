package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceAttribute;
import dev.streamfence.internal.driver.DeviceProperties;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;

/**
 * The devices of this machine, through JCuda. Thread-safe. The first call loads JCuda's native
 * library and the CUDA driver.
 */
public final class JCudaDevices {
  /** CUDA 11.2, the first version with stream-ordered allocation. */
  private static final int OLDEST_DRIVER = 11020;

  private static final int LONGEST_NAME = 256;
  private static final int LONGEST_BUS_ID = 64;

  private JCudaDevices() {}

  /**
   * How many devices the driver has; 0 if there is a driver but no device.
   *
   * @throws DeviceException if there is no driver; the message says what was looked for
   */
  public static int count() {
    NativeLibrary.load();
    int code = Status.of(() -> JCudaDriver.cuInit(0));
    if (code == CUresult.CUDA_ERROR_NO_DEVICE) {
      return 0;
    }
    check("cuInit", code);
    int[] count = new int[1];
    check("cuDeviceGetCount", Status.of(() -> JCudaDriver.cuDeviceGetCount(count)));
    return count[0];
  }

  /**
   * Whether there is a device. Never throws. If the only known obstacle is that the build left out
   * JCuda's natives for this platform, logs that.
   */
  public static boolean isAvailable() {
    try {
      return count() > 0;
    } catch (DeviceException e) {
      logIfLeftOut(e);
      return false;
    }
  }

  private static void logIfLeftOut(DeviceException e) {
    if (NativeLibrary.isLeftOut()) {
      LogTopic.DEVICES.info("no GPU is used: " + e.getMessage());
    }
  }

  /**
   * Opens a device: retains its primary context, which other libraries of this process share, until
   * {@link CudaDriver#close}. Each call returns a new driver.
   *
   * @param ordinal 0 for the first device
   * @throws DeviceException if there is no driver, no device, no device with that number, or a
   *     driver or device without stream-ordered memory; the message says what was looked for
   */
  public static CudaDriver open(int ordinal) {
    // Both go on in other threads while this one waits for the driver.
    FirstLaunchClasses.begin();
    NativeLibrary.load();
    FastestLaunchCalls.begin();
    int count = count();
    if (count == 0) {
      throw new DeviceException(
          "no CUDA device: "
              + NativeLibrary.CUDA
              + " is installed but sees none; looked for device "
              + ordinal
              + " with CUDA_VISIBLE_DEVICES="
              + System.getenv().getOrDefault("CUDA_VISIBLE_DEVICES", "(not set)"));
    }
    if (ordinal < 0 || ordinal >= count) {
      throw new DeviceException(
          "no CUDA device "
              + ordinal
              + ": "
              + NativeLibrary.CUDA
              + " has "
              + count
              + (count == 1 ? " device, numbered 0" : " devices, numbered 0 to " + (count - 1)));
    }
    CUdevice device = device(ordinal);
    DeviceProperties properties = properties(device, ordinal);
    requireMemoryPools(properties);
    CUcontext context = new CUcontext();
    check(
        "cuDevicePrimaryCtxRetain",
        Status.of(() -> JCudaDriver.cuDevicePrimaryCtxRetain(context, device)));
    return new JCudaDevice(device, context, properties);
  }

  /**
   * The properties of every device; empty if there is no driver, or no device, or the driver cannot
   * count its devices. Logs why the driver cannot, or that only JCuda's natives are missing.
   *
   * @throws CudaDriverException if the driver has counted a device and cannot describe it
   */
  public static List<DeviceProperties> all() {
    int count = 0;
    try {
      count = count();
    } catch (CudaDriverException e) {
      LogTopic.DEVICES.warn("no GPU is listed: " + e.getMessage());
    } catch (DeviceException e) {
      logIfLeftOut(e);
    }
    List<DeviceProperties> all = new ArrayList<>();
    for (int ordinal = 0; ordinal < count; ordinal++) {
      all.add(properties(device(ordinal), ordinal));
    }
    return List.copyOf(all);
  }

  private static CUdevice device(int ordinal) {
    CUdevice device = new CUdevice();
    check("cuDeviceGet", Status.of(() -> JCudaDriver.cuDeviceGet(device, ordinal)));
    return device;
  }

  private static void requireMemoryPools(DeviceProperties device) {
    if (device.driverVersion() < OLDEST_DRIVER || !device.hasMemoryPools()) {
      throw new DeviceException(
          "CUDA device "
              + device.ordinal()
              + " has no stream-ordered memory; it needs a driver of CUDA 11.2 or newer (version "
              + OLDEST_DRIVER
              + ", this one is "
              + device.driverVersion()
              + ") and a device with memory pools");
    }
  }

  private static DeviceProperties properties(CUdevice device, int ordinal) {
    int driverVersion = driverVersion();
    Map<DeviceAttribute, Integer> attributes = new EnumMap<>(DeviceAttribute.class);
    for (DeviceAttribute attribute : DeviceAttribute.values()) {
      attributes.put(attribute, attribute(device, attribute.code()));
    }
    byte[] name = new byte[LONGEST_NAME];
    check(
        "cuDeviceGetName", Status.of(() -> JCudaDriver.cuDeviceGetName(name, name.length, device)));
    long[] totalMemory = new long[1];
    check("cuDeviceTotalMem", Status.of(() -> JCudaDriver.cuDeviceTotalMem(totalMemory, device)));
    CUuuid uuid = new CUuuid();
    check("cuDeviceGetUuid", Status.of(() -> JCudaDriver.cuDeviceGetUuid(uuid, device)));
    String[] busId = new String[1];
    check(
        "cuDeviceGetPCIBusId",
        Status.of(() -> JCudaDriver.cuDeviceGetPCIBusId(busId, LONGEST_BUS_ID, device)));
    ByteBuffer id = ByteBuffer.wrap(uuid.bytes);
    return DeviceProperties.of(
        new DeviceProperties.Identity(
            text(name), ordinal, new UUID(id.getLong(), id.getLong()), busId[0]),
        driverVersion,
        totalMemory[0],
        attributes);
  }

  private static int driverVersion() {
    int[] version = new int[1];
    check("cuDriverGetVersion", Status.of(() -> JCudaDriver.cuDriverGetVersion(version)));
    return version[0];
  }

  private static int attribute(CUdevice device, int attribute) {
    int[] value = new int[1];
    int code = Status.of(() -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
    if (code == CUresult.CUDA_ERROR_INVALID_VALUE) {
      // The driver is older than the attribute.
      return 0;
    }
    check("cuDeviceGetAttribute", code);
    return value[0];
  }

  private static void check(String call, int code) {
    try {
      Status.check(call, code);
    } catch (CudaDriverException e) {
      throw e.during("looking for CUDA devices");
    }
  }

  private static String text(byte[] terminated) {
    int length = 0;
    while (length < terminated.length && terminated[length] != 0) {
      length++;
    }
    return new String(terminated, 0, length, StandardCharsets.UTF_8);
  }
}
