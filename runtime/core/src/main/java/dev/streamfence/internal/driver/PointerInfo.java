package dev.streamfence.internal.driver;

/**
 * What the driver knows of an address. Immutable.
 *
 * @param device the number of the device that the memory belongs to; -1 if it belongs to none
 * @param rangeStart the first byte of the allocation around the address; 0 if the driver names none
 * @param rangeBytes the size of that allocation; 0 if the driver names none
 */
public record PointerInfo(MemoryPlace place, int device, long rangeStart, long rangeBytes) {
  /** Where memory lies. */
  public enum MemoryPlace {
    /** The driver does not know the address. */
    UNKNOWN("memory that the driver does not know"),
    /** Page-locked host memory. */
    HOST("host memory"),
    /** Memory of one device. */
    DEVICE("device memory"),
    /** Memory that moves between host and devices. */
    MANAGED("managed memory");

    private final String words;

    MemoryPlace(String words) {
      this.words = words;
    }

    /** The place, in words. */
    public String inWords() {
      return words;
    }
  }
}
