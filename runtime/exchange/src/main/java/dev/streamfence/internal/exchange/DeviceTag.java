package dev.streamfence.internal.exchange;

/**
 * Where memory lies, in the numbers that DLPack and Arrow share. Immutable.
 *
 * @param type the kind of device, such as {@link #CUDA}
 * @param id which device of that kind
 */
public record DeviceTag(int type, int id) {
  /** Memory of the host. */
  public static final int CPU = 1;

  /** Memory of a CUDA device. */
  public static final int CUDA = 2;

  /** Page-locked memory of the host. */
  public static final int CUDA_HOST = 3;

  /** Memory that CUDA moves between host and device. */
  public static final int CUDA_MANAGED = 13;

  private static final String[] NAMES = {
    "",
    "CPU",
    "CUDA",
    "CUDA host",
    "OpenCL",
    "",
    "",
    "Vulkan",
    "Metal",
    "VPI",
    "ROCm",
    "ROCm host",
    "extension",
    "CUDA managed",
    "oneAPI",
    "WebGPU",
    "Hexagon",
    "MAIA"
  };

  /**
   * Refuses memory that the kernels of a CUDA device do not reach by its address.
   *
   * @param ordinal the number of the device
   * @param what describes the memory in errors
   * @throws IllegalArgumentException if the memory is of another kind, or of another device
   */
  public void requireOn(int ordinal, String what) {
    if (type != CUDA && type != CUDA_MANAGED) {
      throw new IllegalArgumentException(
          what
              + " is memory of device type "
              + typeInWords()
              + "; device types 2 (CUDA) and 13 (CUDA managed) can be adopted");
    }
    if (id != ordinal) {
      throw new IllegalArgumentException(
          what + " is memory of CUDA device " + id + "; the runtime is of device " + ordinal);
    }
  }

  private String typeInWords() {
    String name = type >= 0 && type < NAMES.length ? NAMES[type] : "";
    return type + (name.isEmpty() ? ", which is unknown" : " (" + name + ")");
  }

  @Override
  public String toString() {
    return "device " + id + " of type " + typeInWords();
  }
}
