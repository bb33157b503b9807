package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.run.SimulatedMemory;
import dev.streamfence.internal.ptx.symbolic.ArgumentLookup;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Computes random integer code for each thread, and runs it on the simulated device. */
final class BlockThreadTest {
  private static final int KERNELS = 300;
  private static final int STEPS = 24;
  private static final BlockLimit BLOCK = new BlockLimit(8, 3, 2, true);

  private static final List<String> OPCODES =
      List.of(
          "add",
          "sub",
          "mul.lo",
          "and",
          "or",
          "xor",
          "min",
          "max",
          "div",
          "rem",
          "shl",
          "shr",
          "neg",
          "not",
          "mov",
          "cvt",
          "mul.wide",
          "mad.wide",
          "selp");

  private static final ArgumentLookup NOTHING_PASSED =
      new ArgumentLookup() {
        @Override
        public @Nullable Node value(Variable parameter, long offset, int bits) {
          return null;
        }

        @Override
        public List<Node> addresses(Variable parameter, long offset, int bytes) {
          return List.of();
        }
      };

  private final Random random = new Random(13);

  private String any(List<String> words) {
    return words.get(random.nextInt(words.size()));
  }

  /** A register of this width, or a constant. */
  private String source(int bits, int step) {
    return switch (random.nextInt(6)) {
      case 0 -> String.valueOf(random.nextInt(-40, 4000));
      case 1 -> String.valueOf(random.nextInt());
      default -> (bits == 64 ? "%l" : "%i") + random.nextInt(step);
    };
  }

  /** Assigns the registers of this step: one of 32 bits, one of 64 bits and a predicate. */
  private String step(int step) {
    String narrow = any(List.of("s32", "u32"));
    String wide = any(List.of("s64", "u64"));
    String comparison = any(List.of("eq", "ne", "lt", "le", "gt", "ge"));
    return assign("%i" + step, narrow, 32, step)
        + assign("%l" + step, wide, 64, step)
        + "setp.%s.%s %%p%d, %s, %s;\n"
            .formatted(comparison, narrow, step, source(32, step), source(32, step));
  }

  private String assign(String to, String type, int bits, int step) {
    String opcode = any(OPCODES);
    String a = source(bits, step);
    String b = source(bits, step);
    String bare = bits == 32 ? "b32" : "b64";
    return switch (opcode) {
      case "and", "or", "xor" -> "%s.%s %s, %s, %s;\n".formatted(opcode, bare, to, a, b);
      case "not" -> "not.%s %s, %s;\n".formatted(bare, to, a);
      case "shl" -> "shl.%s %s, %s, %s;\n".formatted(bare, to, a, source(32, step));
      case "shr" -> "shr.%s %s, %s, %s;\n".formatted(type, to, a, source(32, step));
      case "neg" -> "neg.%s %s, %s;\n".formatted("s" + bits, to, a);
      case "mov" -> "mov.%s %s, %s;\n".formatted(type, to, a);
      case "cvt" ->
          bits == 32
              ? "cvt.u32.u64 %s, %%l%d;\n".formatted(to, random.nextInt(step))
              : "cvt.%s.%s %s, %%i%d;\n"
                  .formatted(type, type.replace("64", "32"), to, random.nextInt(step));
      case "mul.wide", "mad.wide" -> {
        String narrow = type.replace("64", "32");
        String third = opcode.equals("mad.wide") ? ", " + source(64, step) : "";
        yield bits == 32
            ? "mad.lo.%s %s, %s, %s, %s;\n".formatted(type, to, a, b, source(32, step))
            : "%s.%s %s, %s, %s%s;\n"
                .formatted(opcode, narrow, to, source(32, step), source(32, step), third);
      }
      case "selp" -> "selp.%s %s, %s, %s, %%p%d;\n".formatted(bare, to, a, b, random.nextInt(step));
      default -> "%s.%s %s, %s, %s;\n".formatted(opcode, type, to, a, b);
    };
  }

  private String kernel() {
    StringBuilder steps = new StringBuilder();
    for (int i = 4; i < STEPS; i++) {
      steps.append(step(i));
    }
    return """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
          .reg .pred %%p<%1$d>;
          .reg .b32 %%i<%1$d>;
          .reg .b64 %%l<%1$d>;
          .reg .b32 %%at<2>;
          .reg .b64 %%to<4>;
          mov.u32 %%i0, %%tid.x;
          mov.u32 %%i1, %%tid.y;
          mov.u32 %%i2, %%tid.z;
          mov.u32 %%i3, %%ntid.x;
          cvt.u64.u32 %%l0, %%i0;
          cvt.s64.s32 %%l1, %%i1;
          mov.u64 %%l2, -3;
          mul.wide.u32 %%l3, %%i0, 77;
          setp.gt.u32 %%p0, %%i0, 3;
          setp.eq.s32 %%p1, %%i1, 1;
          not.pred %%p2, %%p0;
          and.pred %%p3, %%p0, %%p1;
          %2$s
          mad.lo.s32 %%at0, %%i2, 3, %%i1;
          mad.lo.s32 %%at1, %%at0, 8, %%i0;
          ld.param.u64 %%to0, [out];
          mad.wide.s32 %%to1, %%at1, 16, %%to0;
          st.global.u64 [%%to1], %%l%3$d;
          st.global.u32 [%%to1+8], %%i%3$d;
          ret;
        }
        """
        .formatted(STEPS, steps, STEPS - 1);
  }

  @Test
  void valuesAreThoseThatThreadsCompute() {
    int known = 0;
    for (int each = 0; each < KERNELS; each++) {
      String ptx = kernel();
      byte[] out = new byte[16 * BLOCK.threads()];
      new SimulatedMemory()
          .run(ptx, "k", new PtxGrid(1, 1, 1, BLOCK.x(), BLOCK.y(), BLOCK.z(), 0), List.of(out));
      ByteBuffer results = ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN);
      PtxModule module = PtxModule.parse(ptx);
      FunctionFlow flow = new FunctionFlow(module.entry("k").orElseThrow().function());
      NodeGraph nodes = new NodeGraph();
      KernelValues values =
          new KernelValues(
              flow, ControlGraph.of(flow, new CallEnds(module, true)), nodes, NOTHING_PASSED);
      values.evaluate();
      Dependences dependences = new Dependences(nodes);
      for (int thread = 0; thread < BLOCK.threads(); thread++) {
        int x = thread % BLOCK.x();
        int y = thread / BLOCK.x() % BLOCK.y();
        int z = thread / BLOCK.x() / BLOCK.y();
        BlockThread evaluation = new BlockThread(nodes, dependences, BLOCK, x, y, z);
        OptionalLong wide = stored(values, evaluation, flow.size() - 3);
        OptionalLong narrow = stored(values, evaluation, flow.size() - 2);
        long expectedWide = results.getLong(16 * thread);
        int expectedNarrow = results.getInt(16 * thread + 8);
        wide.ifPresent(value -> assertThat(value).as(ptx).isEqualTo(expectedWide));
        narrow.ifPresent(value -> assertThat((int) value).as(ptx).isEqualTo(expectedNarrow));
        known += (wide.isPresent() ? 1 : 0) + (narrow.isPresent() ? 1 : 0);
      }
    }

    // The rest divides by zero on the way.
    assertThat(known).isGreaterThan(KERNELS * BLOCK.threads());
  }

  private static OptionalLong stored(KernelValues values, BlockThread thread, int at) {
    return values.accesses().stream()
        .filter(access -> access.index() == at)
        .flatMap(access -> values.stored(access).stream())
        .map(thread::known)
        .findFirst()
        .orElseGet(OptionalLong::empty);
  }
}
