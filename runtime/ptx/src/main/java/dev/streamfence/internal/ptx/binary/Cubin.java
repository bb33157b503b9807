package dev.streamfence.internal.ptx.binary;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A binary of kernels; only the sizes of their parameters are read. Immutable.
 *
 * <p>Source: the ELF-64 object file format for the sections. The content of a section {@code
 * .nv.info.NAME} is not documented; its records are read as nvcc 13.0 writes them for compute
 * capability 7.5 to 10.0: a format, an attribute and a 16-bit length or value, then as many bytes
 * as the length. Attribute 0x17 describes a parameter: after four bytes its number and its offset,
 * 16 bits each, then a word whose upper 14 bits are its size. Attribute 0x19 is the size of all
 * parameters. If the two disagree, the sizes count as unknown.
 */
public final class Cubin {
  private static final String INFO = ".nv.info.";
  private static final String CODE = ".text.";
  private static final int SECTION_HEADER_BYTES = 64;
  private static final int HAS_LENGTH = 4;

  /** Far more than compilers use. Names may overlap, so many long names could fit a small file. */
  private static final int MAX_NAME = 4096;

  private static final int PARAMETER = 0x17;
  private static final int PARAMETER_BYTES = 12;
  private static final int ALL_PARAMETERS = 0x19;
  private static final int SIZE_SHIFT = 18;

  /** Sizes of the parameters by entry; empty if they are unknown. Sorted by name. */
  private final Map<String, Optional<List<Integer>>> entries;

  private Cubin(Map<String, Optional<List<Integer>>> entries) {
    this.entries = entries;
  }

  /**
   * Reads a binary. Throws nothing for any file.
   *
   * @param file its bytes
   * @return the binary, or empty if the file is not a binary or cannot be read
   */
  public static Optional<Cubin> read(byte[] file) {
    if (CodeFormat.of(file) != CodeFormat.CUBIN) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Cubin(new ElfReader(file).entries()));
    } catch (BufferUnderflowException
        | IndexOutOfBoundsException
        | IllegalArgumentException
        | ArithmeticException e) {
      // The device reports the error in a truncated file.
      return Optional.empty();
    }
  }

  /** Returns the names of the kernels, in alphabetical order. */
  public Set<String> entries() {
    return Collections.unmodifiableSet(entries.keySet());
  }

  /**
   * Returns the sizes of a kernel's parameters in bytes.
   *
   * @param entry the kernel's name
   * @return the sizes, in order; empty if there is no such kernel or its sizes are unknown
   */
  public Optional<List<Integer>> parameterSizes(String entry) {
    return entries.getOrDefault(entry, Optional.empty());
  }

  /** Reads the sections of one file. */
  private static final class ElfReader {
    private final ByteBuffer file;
    private final long headers;
    private final int count;
    private final ByteBuffer names;

    ElfReader(byte[] bytes) {
      file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      headers = file.getLong(40);
      count = Short.toUnsignedInt(file.getShort(60));
      if (count == 0) {
        throw new IllegalArgumentException("sections are counted elsewhere");
      }
      names = content(Short.toUnsignedInt(file.getShort(62)));
    }

    Map<String, Optional<List<Integer>>> entries() {
      Map<String, Integer> sections = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        sections.put(name(file.getInt(header(i))), i);
      }
      Map<String, Optional<List<Integer>>> entries = new TreeMap<>();
      long looked = 0;
      for (Map.Entry<String, Integer> section : sections.entrySet()) {
        String name = section.getKey();
        if (name.startsWith(INFO) && sections.containsKey(CODE + entry(name))) {
          ByteBuffer info = content(section.getValue());
          looked += info.remaining();
          if (looked > file.limit()) {
            throw new IllegalArgumentException("sections overlap");
          }
          entries.put(entry(name), sizes(info));
        }
      }
      return entries;
    }

    private static String entry(String section) {
      return section.substring(INFO.length());
    }

    private int header(int section) {
      return Math.toIntExact(headers + (long) section * SECTION_HEADER_BYTES);
    }

    private ByteBuffer content(int section) {
      int at = header(section);
      int offset = Math.toIntExact(file.getLong(at + 24));
      int size = Math.toIntExact(file.getLong(at + 32));
      return file.slice(offset, size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private String name(int offset) {
      int end = offset;
      while (names.get(end) != 0) {
        end++;
        if (end - offset > MAX_NAME) {
          throw new IllegalArgumentException("a name is too long");
        }
      }
      byte[] name = new byte[end - offset];
      names.get(offset, name);
      return new String(name, UTF_8);
    }

    private static Optional<List<Integer>> sizes(ByteBuffer info) {
      Map<Integer, Integer> sizes = new TreeMap<>();
      int end = 0;
      int total = 0;
      while (info.remaining() >= 4) {
        int format = info.get();
        int attribute = info.get();
        int value = Short.toUnsignedInt(info.getShort());
        ByteBuffer payload = info.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (format == HAS_LENGTH) {
          info.position(info.position() + value);
        }
        if (attribute == PARAMETER && value >= PARAMETER_BYTES) {
          int size = payload.getInt(8) >>> SIZE_SHIFT;
          sizes.put(Short.toUnsignedInt(payload.getShort(4)), size);
          end = Math.max(end, Short.toUnsignedInt(payload.getShort(6)) + size);
        } else if (attribute == ALL_PARAMETERS) {
          total = value;
        }
      }
      boolean areNumbered = sizes.isEmpty() || sizes.containsKey(sizes.size() - 1);
      return end == total && areNumbered
          ? Optional.of(List.copyOf(sizes.values()))
          : Optional.empty();
    }
  }
}
