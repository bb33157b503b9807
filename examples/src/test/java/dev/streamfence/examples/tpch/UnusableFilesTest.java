package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not there or not as they should be are refused, with the reason. */
class UnusableFilesTest {
  @TempDir private Path folder;
  private Path orders;
  private Path lineItems;

  @BeforeEach
  void writeGoodFiles() throws IOException {
    orders = folder.resolve("orders.arrow");
    lineItems = folder.resolve("lineitem.arrow");
    SampleFile.orders().write(orders, 1);
    SampleFile.lineItems().write(lineItems, 1);
  }

  private void refuses(String message) {
    assertThatThrownBy(() -> TpchFiles.read(folder))
        .isInstanceOf(DataFileException.class)
        .hasMessage(message);
  }

  @Test
  void missingFolder() {
    Path missing = folder.resolve("missing");
    Console console = new Console();
    assertThat(console.run("--device", "simulated", "--data", missing.toString())).isOne();
    assertThat(console.err()).isEqualToIgnoringNewLines("tpch: there is no folder " + missing);
    assertThat(console.out()).isEmpty();
  }

  @Test
  void fileInPlaceOfAFolder() {
    assertThatThrownBy(() -> TpchFiles.read(orders))
        .isInstanceOf(DataFileException.class)
        .hasMessage(orders + " is not a folder");
  }

  @Test
  void missingFile() throws IOException {
    Files.delete(lineItems);
    refuses("there is no file " + lineItems);
  }

  @Test
  void emptyFile() throws IOException {
    Files.write(orders, new byte[0]);
    refuses(orders + " is empty");
  }

  @Test
  void fileWithoutRows() throws IOException {
    SampleFile.lineItems().write(lineItems, 0);
    refuses(lineItems + " has no rows");
  }

  @Test
  void fileOfAnotherFormat() throws IOException {
    Files.writeString(orders, "1|370|O|172799.49|1996-01-02|5-LOW|");
    refuses(orders + " is no Arrow IPC file: it does not begin with ARROW1");
    Files.writeString(orders, "PAR1 and more");
    refuses(orders + " is a Parquet file; it must be an Arrow IPC file");
    Files.write(orders, new byte[] {-1, -1, -1, -1, 16, 0, 0, 0});
    refuses(
        orders + " is a stream of Arrow IPC; it must be a file of Arrow IPC, which has an index");
  }

  @Test
  void fileThatIsTruncatedAnywhere() throws IOException {
    byte[] whole = Files.readAllBytes(lineItems);
    for (int length = 6; length < whole.length; length += 7) {
      Files.write(lineItems, Arrays.copyOf(whole, length));
      refuses(lineItems + " is truncated: it does not end with ARROW1");
    }
  }

  @Test
  void fileThatIsCutInside() throws IOException {
    byte[] whole = Files.readAllBytes(lineItems);
    byte[] cut = Arrays.copyOf(whole, whole.length / 2);
    System.arraycopy(whole, whole.length - 10, cut, cut.length - 10, 10);
    Files.write(lineItems, cut);
    assertThatThrownBy(() -> TpchFiles.read(folder))
        .isInstanceOf(DataFileException.class)
        .hasMessageContaining(lineItems + " is damaged or cannot be read: ");
  }

  /** Some of the damaged bytes are padding, and others leave good values. */
  @Test
  void damagedBytesAreRefusedOrHarmless() throws IOException {
    byte[] whole = Files.readAllBytes(lineItems);
    Random random = new Random(12);
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
      byte[] damaged = whole.clone();
      for (int i = 0; i <= round % 3; i++) {
        damaged[8 + random.nextInt(whole.length - 14)] = (byte) random.nextInt();
      }
      Files.write(lineItems, damaged);
      try {
        assertThat(TpchFiles.read(folder).lineItems().rows()).isPositive();
      } catch (DataFileException e) {
        assertThat(e).hasMessageContaining(lineItems.toString());
        refused++;
      }
    }
    assertThat(refused).isBetween(200, 1900);
  }

  @Test
  void compressedFile() throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root =
            VectorSchemaRoot.of(
                SampleFile.keys(1L).vector("o_orderkey", allocator, new MapDictionaryProvider()),
                SampleFile.texts("5-LOW")
                    .vector("o_orderpriority", allocator, new MapDictionaryProvider()));
        FileChannel channel =
            FileChannel.open(
                orders, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        ArrowFileWriter writer =
            new ArrowFileWriter(
                root,
                new MapDictionaryProvider(),
                channel,
                Map.of(),
                IpcOption.DEFAULT,
                new NamedCompression(),
                CompressionUtil.CodecType.ZSTD)) {
      writer.writeBatch();
      writer.end();
    }
    refuses(orders + " is compressed with ZSTD; write it without compression");
  }

  @Test
  void jvmWithoutTheFlagThatArrowNeeds() throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                TpchCommand.class.getName(),
                "--device",
                "simulated",
                "--data",
                folder.toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).isOne();
    assertThat(printed)
        .contains(
            "tpch: Arrow reads and writes files only with the JVM flag"
                + " --add-opens=java.base/java.nio=ALL-UNNAMED");
  }

  /** Says that it compresses, and does not. */
  private static final class NamedCompression implements CompressionCodec.Factory {
    @Override
    public CompressionCodec createCodec(CompressionUtil.CodecType type) {
      return new CompressionCodec() {
        @Override
        public ArrowBuf compress(BufferAllocator allocator, ArrowBuf buffer) {
          return buffer;
        }

        @Override
        public ArrowBuf decompress(BufferAllocator allocator, ArrowBuf buffer) {
          return buffer;
        }

        @Override
        public CompressionUtil.CodecType getCodecType() {
          return type;
        }
      };
    }

    @Override
    public CompressionCodec createCodec(CompressionUtil.CodecType type, int level) {
      return createCodec(type);
    }
  }
}
