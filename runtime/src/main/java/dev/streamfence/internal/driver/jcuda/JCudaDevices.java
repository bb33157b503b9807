package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import java.nio.charset.StandardCharsets;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * The devices of this machine, through JCuda. Thread-safe. The first call loads JCuda's native
 * library and the CUDA driver.
 */
public final class JCudaDevices {
  private static final System.Logger LOGGER = System.getLogger(JCudaDevices.class.getName());

  /** CUDA 11.2, the first version with stream-ordered allocation. */
  private static final int OLDEST_DRIVER = 11020;

  private static final int LONGEST_NAME = 256;

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
      if (NativeLibrary.isLeftOut()) {
        LOGGER.log(System.Logger.Level.INFO, "no GPU is used: {0}", e.getMessage());
      }
      return false;
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
    CUdevice device = new CUdevice();
    check("cuDeviceGet", Status.of(() -> JCudaDriver.cuDeviceGet(device, ordinal)));
    DeviceProperties properties = properties(device, ordinal);
    CUcontext context = new CUcontext();
    check(
        "cuDevicePrimaryCtxRetain",
        Status.of(() -> JCudaDriver.cuDevicePrimaryCtxRetain(context, device)));
    return new JCudaDevice(device, context, properties);
  }

  private static DeviceProperties properties(CUdevice device, int ordinal) {
    int driverVersion = driverVersion();
    if (driverVersion < OLDEST_DRIVER
        || attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) == 0) {
      throw new DeviceException(
          "CUDA device "
              + ordinal
              + " has no stream-ordered memory; it needs a driver of CUDA 11.2 or newer (version "
              + OLDEST_DRIVER
              + ", this one is "
              + driverVersion
              + ") and a device with memory pools");
    }
    byte[] name = new byte[LONGEST_NAME];
    check(
        "cuDeviceGetName", Status.of(() -> JCudaDriver.cuDeviceGetName(name, name.length, device)));
    long[] totalMemory = new long[1];
    check("cuDeviceTotalMem", Status.of(() -> JCudaDriver.cuDeviceTotalMem(totalMemory, device)));
    return new DeviceProperties(
        text(name),
        ordinal,
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        driverVersion,
        totalMemory[0],
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        attribute(
            device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  }

  private static int driverVersion() {
    int[] version = new int[1];
    check("cuDriverGetVersion", Status.of(() -> JCudaDriver.cuDriverGetVersion(version)));
    return version[0];
  }

  private static int attribute(CUdevice device, int attribute) {
    int[] value = new int[1];
    check(
        "cuDeviceGetAttribute",
        Status.of(() -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device)));
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
