package dev.streamfence.examples.tpch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.apache.arrow.memory.ArrowBuf;

/**
 * The two tables as Arrow IPC files in a folder, {@code orders.arrow} and {@code lineitem.arrow}.
 * Arrow is loaded only where files are read or written.
 */
final class TpchFiles {
  private static final String ORDERS = "orders.arrow";
  private static final String LINE_ITEMS = "lineitem.arrow";

  private TpchFiles() {}

  /**
   * Reads both tables.
   *
   * @throws DataFileException if the folder, a file, a column or a value is not as it should be
   */
  static TpchData read(Path folder) {
    requireOpenBuffers();
    if (!Files.isDirectory(folder)) {
      throw new DataFileException(
          Files.exists(folder) ? folder + " is not a folder" : "there is no folder " + folder);
    }
    HostTable orders = ArrowFileInput.read(folder.resolve(ORDERS), TpchSchema.ORDERS);
    OrderKeys.requireUnique(folder.resolve(ORDERS), orders.longs("o_orderkey"));
    return new TpchData(
        orders, ArrowFileInput.read(folder.resolve(LINE_ITEMS), TpchSchema.LINE_ITEMS));
  }

  /**
   * Makes sure that {@link #write} replaces nothing, before rows are generated for it.
   *
   * @throws DataFileException if the folder has one of the files
   */
  static void requireNew(Path folder) {
    requireOpenBuffers();
    requireAbsent(folder.resolve(ORDERS));
    requireAbsent(folder.resolve(LINE_ITEMS));
  }

  /**
   * Writes both tables, and makes the folder if there is none. What has been written of a file is
   * deleted if the rest cannot be.
   *
   * @throws DataFileException if a file is there already or cannot be written
   */
  static void write(Path folder, TpchData data) {
    requireNew(folder);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new DataFileException("cannot make the folder " + folder + ": " + e, e);
    }
    ArrowFileOutput.write(folder.resolve(ORDERS), data.orders());
    ArrowFileOutput.write(folder.resolve(LINE_ITEMS), data.lineItems());
  }

  private static void requireAbsent(Path file) {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new DataFileException(file + " is there already; name another folder, or delete it");
    }
  }

  /** Arrow makes buffers of addresses, by a constructor of java.nio that the JDK does not open. */
  private static void requireOpenBuffers() {
    Class<?> buffer = ByteBuffer.class;
    if (!buffer.getModule().isOpen(buffer.getPackageName(), ArrowBuf.class.getModule())) {
      throw new DataFileException(
          "Arrow reads and writes files only with the JVM flag"
              + " --add-opens=java.base/java.nio=ALL-UNNAMED");
    }
  }
}
