package dev.streamfence.internal.ptx.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code vprintf} with every format that CUDA documents; the expected texts are those of the C
 * library on Linux.
 */
final class KernelPrintfTest {
  private static final String PRINTING =
      """
      .version 7.8
      .target sm_80
      .address_size 64
      .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
      .visible .entry print(.param .u64 out, .param .u64 format, .param .u64 arguments)
      {
        .reg .b64 %rd<4>;
        .reg .b32 %r<2>;
        ld.param.u64 %rd1, [out];
        ld.param.u64 %rd2, [format];
        ld.param.u64 %rd3, [arguments];
        { .param .b64 a, b; .param .b32 r;
          st.param.b64 [a], %rd2; st.param.b64 [b], %rd3;
          call.uni (r), vprintf, (a, b);
          ld.param.b32 %r1, [r]; }
        st.global.u32 [%rd1], %r1;
        ret;
      }
      """;

  private final SimulatedMemory memory = new SimulatedMemory();
  private final List<String> printed = new ArrayList<>();
  private int answer;

  private long text(String text) {
    return memory.add((text + "\0").getBytes(UTF_8));
  }

  /** Prints with arguments laid out as a compiler does: Integer, Long, Double or String. */
  private String print(String format, Object... arguments) {
    ByteBuffer buffer = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    for (Object argument : arguments) {
      if (argument instanceof Integer value) {
        buffer.putInt(value);
        continue;
      }
      buffer.position((buffer.position() + 7) & -8);
      if (argument instanceof Double value) {
        buffer.putDouble(value);
      } else {
        buffer.putLong(argument instanceof String string ? text(string) : (Long) argument);
      }
    }
    run(text(format), arguments.length == 0 ? 0 : memory.add(buffer.array()));
    assertThat(printed).hasSize(1);
    return printed.remove(0);
  }

  private void run(long format, long arguments) {
    byte[] out = new byte[4];
    PtxInstance instance = memory.load(PRINTING).withOutput(printed::add);
    memory.run(instance, "print", new PtxGrid(1, 1, 1, 1, 1, 1, 0), out, format, arguments);
    answer = Buffers.view(out).getInt(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "%d|-7|-7",
        "%i|7|7",
        "%5d|42|   42",
        "%-5d!|42|42   !",
        "%05d|-42|-0042",
        "%+d|42|+42",
        "% d|42| 42",
        "%.4d|-42|-0042",
        "%08.4d|42|    0042",
        "%.0d!|0|!",
        "%u|-1|4294967295",
        "%x|-1|ffffffff",
        "%X|48879|BEEF",
        "%#x|255|0xff",
        "%#X|255|0XFF",
        "%#010x|255|0x000000ff",
        "%#x|0|0",
        "%o|8|10",
        "%#o|8|010",
        "%#o|0|0",
        "%hd|98303|32767",
        "%hu|-1|65535",
        "%hhd|383|127",
        "%hhx|-1|ff",
        "%c|65|A",
        "%3c|65|  A",
        "%-3c!|65|A  !",
      })
  void anIntIsPrintedAsInC(String format, int value, String expected) {
    assertThat(print(format, value)).isEqualTo(expected);
    assertThat(answer).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "%lld, -9223372036854775808, -9223372036854775808",
    "%ld, -1, -1",
    "%llu, -1, 18446744073709551615",
    "%lx, 4886718345, 123456789",
    "%zu, 5000000000, 5000000000",
    "%p, 4096, 0x1000",
    "%12p, 4096, '      0x1000'",
    "%p, 0, (nil)",
  })
  void aLongOrAPointerIsPrintedAsInC(String format, long value, String expected) {
    assertThat(print(format, value)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "%f, 3.141592653589793, 3.141593",
    "%.2f, 2.675, 2.67",
    "%.0f, 0.5, 0",
    "%.0f, 1.5, 2",
    "%#.0f, 1.5, 2.",
    "%8.3f, -1.5, '  -1.500'",
    "%-8.1f!, 1.5, '1.5     !'",
    "%+08.1f, 1.5, +00001.5",
    "%f, -0.0, -0.000000",
    "%.3f, 1e22, 10000000000000000000000.000",
    "%e, 12345.678, 1.234568e+04",
    "%.0e, 12345.678, 1e+04",
    "%E, 1e-100, 1.000000E-100",
    "%e, 0, 0.000000e+00",
    "%g, 100000, 100000",
    "%g, 1000000, 1e+06",
    "%g, 0.0001, 0.0001",
    "%g, 0.00001, 1e-05",
    "%#g, 1.5, 1.50000",
    "%.3g, 999.5, 1e+03",
    "%G, 1e-10, 1E-10",
    "%g, 0, 0",
    "%a, 1, 0x1p+0",
    "%a, 0.1, 0x1.999999999999ap-4",
    "%.1a, 1.96875, 0x2.0p+0",
    "%A, 255, 0X1.FEP+7",
    "%a, 4.9e-324, 0x0.0000000000001p-1022",
    "%a, 0, 0x0p+0",
    "%f, Infinity, inf",
    "%05f, -Infinity, ' -inf'",
    "%G, NaN, NAN",
  })
  void aDoubleIsPrintedAsInC(String format, double value, String expected) {
    assertThat(print(format, value)).isEqualTo(expected);
  }

  @Test
  void textIsPrintedUpToItsPrecision() {
    assertThat(print("<%s>", "Grüße")).isEqualTo("<Grüße>");
    assertThat(print("<%8s|%-8s>", "left", "right")).isEqualTo("<    left|right   >");
    assertThat(print("<%.3s>", "abcdef")).isEqualTo("<abc>");
    assertThat(print("<%s>", 0L)).isEqualTo("<(null)>");
  }

  @Test
  void argumentsAreAlignedToTheirSizes() {
    assertThat(print("%d %f %d %s %d %lld", 1, 2.5, 3, "four", 5, 6L))
        .isEqualTo("1 2.500000 3 four 5 6");
    assertThat(answer).isEqualTo(6);
  }

  @Test
  void widthAndPrecisionCanBeArguments() {
    assertThat(print("%*d|%-*d|%.*f", 4, 1, 4, 2, 1, 2.25)).isEqualTo("   1|2   |2.2");
    assertThat(answer).isEqualTo(6);
    assertThat(print("%*d|%.*f", -4, 1, -1, 2.25)).isEqualTo("1   |2.250000");
  }

  @Test
  void theAnswerIsTheNumberOfArguments() {
    assertThat(print("100 %%\n")).isEqualTo("100 %\n");
    assertThat(answer).isZero();
    assertThat(print("%d %d", 1, 2)).isEqualTo("1 2");
    assertThat(answer).isEqualTo(2);
    run(0, 0);
    assertThat(printed).isEmpty();
    assertThat(answer).isEqualTo(-1);
  }

  @Test
  void whatIsNoDirectiveIsPrintedAsItIs() {
    assertThat(print("%y %n % %5 %", 1)).isEqualTo("%y %n % %5 %");
    assertThat(answer).isZero();
    assertThat(print("%d without arguments")).isEqualTo("%d without arguments");
    assertThat(print("$1 \\ %d", 1)).isEqualTo("$1 \\ 1");
  }

  @Test
  void argumentsBeyondThe32ndAreIgnored() {
    Object[] arguments = new Object[34];
    java.util.Arrays.fill(arguments, 7);
    assertThat(print("%d".repeat(34), arguments)).isEqualTo("7".repeat(32) + "%d%d");
    assertThat(answer).isEqualTo(32);
  }

  @Test
  void aHugeWidthIsBounded() {
    assertThat(print("%99999999999d", 1)).hasSize(1 << 16);
    assertThat(print("%.99999999999f", 1.0)).hasSize(2 + (1 << 16));
  }

  @Test
  void anArgumentOutsideOfEveryMemoryIsAFaultOfTheKernel() {
    PtxFault fault = catchThrowableOfType(PtxFault.class, () -> run(text("%d"), 16));
    assertThat(fault.reason()).isEqualTo(PtxFault.Reason.GLOBAL_ACCESS);
    assertThat(fault.instruction()).isNotNull();
    assertThat(fault.instruction().opcode()).isEqualTo("call");
  }
}
