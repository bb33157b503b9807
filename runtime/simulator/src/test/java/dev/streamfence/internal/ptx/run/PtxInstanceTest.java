package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PtxInstanceTest {
  private static final String MODULE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .global .align 8 .b8 bytes[11];
      .global .align 4 .u32 counter = 7;
      .global .align 8 .u64 pointers[3] = {generic(counter), bytes+3, 0};
      .global .align 1 .b8 split[8] = {0xFF(counter), 0xFF00(counter), 0xFF0000(counter),
        0xFF000000(counter), 0xFF00000000(counter), 0, 0, 0};
      .global .align 4 .f32 halves[2] = {0f3F000000, -0.5};
      .const .align 8 .u64 table[2] = {generic(table)+8, 77};
      .visible .entry k(.param .u8 a, .param .u64 out, .param .align 4 .b8 s[6], .param .u16 b)
      {
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %rs<9>;
        ld.param.u64 %rd1, [out];
        ld.const.u64 %rd2, [table]; ld.u64 %rd3, [%rd2]; st.global.u64 [%rd1], %rd3;
        atom.global.add.u32 %r1, [counter], 1; st.global.u32 [%rd1+8], %r1;
        ld.param.u8 %r2, [a]; ld.param.u16 %r3, [s+4]; ld.param.u16 %r4, [b];
        add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1+16], %r2;
        ret;
      }
      """;

  private final SimulatedMemory memory = new SimulatedMemory();
  private final PtxProgram program = PtxProgram.translate(PtxModule.parse(MODULE));

  private long[] addresses() {
    return program.globals().stream()
        .mapToLong(
            global -> {
              byte[] buffer = new byte[(int) global.sizeInBytes()];
              Arrays.fill(buffer, (byte) 99);
              return memory.add(buffer);
            })
        .toArray();
  }

  @Test
  void globalsAreListedInOrder() {
    assertThat(program.globals())
        .containsExactly(
            new PtxVariable("bytes", 11, 8, false, true),
            new PtxVariable("counter", 4, 4, true, true),
            new PtxVariable("pointers", 24, 8, true, true),
            new PtxVariable("split", 8, 1, true, true),
            new PtxVariable("halves", 8, 4, true, true));
  }

  @Test
  void globalsStartWithTheirValues() {
    long[] at = addresses();
    program.instantiate(memory, at);

    for (int i = 0; i < 11; i++) {
      assertThat(memory.load(at[0] + i, 1)).isZero();
    }
    assertThat(memory.load(at[1], 4)).isEqualTo(7);
    assertThat(memory.load(at[2], 8)).isEqualTo(at[1]);
    assertThat(memory.load(at[2] + 8, 8)).isEqualTo(at[0] + 3);
    assertThat(memory.load(at[2] + 16, 8)).isZero();
    assertThat(memory.load(at[3], 8)).isEqualTo(at[1] & 0xFF_FFFF_FFFFL);
    assertThat(memory.load(at[4] + 4, 4)).isEqualTo(Float.floatToIntBits(-0.5f) & 0xFFFF_FFFFL);
  }

  @Test
  void parametersLieAtTheirAlignments() {
    PtxInstance instance = program.instantiate(memory, addresses());

    assertThat(instance.parameterOffset("k", 0)).isZero();
    assertThat(instance.parameterOffset("k", 1)).isEqualTo(8);
    assertThat(instance.parameterOffset("k", 2)).isEqualTo(16);
    assertThat(instance.parameterOffset("k", 3)).isEqualTo(22);
    assertThat(instance.parameterSpaceSize("k")).isEqualTo(24);
  }

  @Test
  void launchesShareGlobalsAndInstancesDoNot() {
    PtxInstance one = program.instantiate(memory, addresses());
    PtxInstance other = program.instantiate(memory, addresses());

    assertThat(run(one)).containsExactly(77, 7, 200 + 0x0605 + 0xFFFF);
    assertThat(run(one)[1]).isEqualTo(8);
    assertThat(run(other)[1]).isEqualTo(7);
  }

  private long[] run(PtxInstance instance) {
    byte[] out = new byte[24];
    byte[] parameters = new byte[24];
    Buffers.view(parameters)
        .put(0, (byte) 200)
        .putLong(8, memory.add(out))
        .putShort(20, (short) 0x0605)
        .putShort(22, (short) -1);
    instance.run("k", new PtxGrid(1, 1, 1, 1, 1, 1, 0), parameters, memory);
    return Buffers.longs(out);
  }

  @Test
  void blocksRunInOrderWithSharedMemoryOfTheirOwn() {
    long[] results =
        HandWritten.runModule(
            1,
            HandWritten.kernel(
                """
                .shared .u32 cell;
                ld.shared.u32 %r1, [cell]; st.shared.u32 [cell], 5; st.global.u32 [%out], %r1;
                """));

    assertThat(results[0]).isEqualTo(0xCBCB_CBCBL);
  }

  @Test
  void wrongArgumentsAreRefused() {
    PtxInstance instance = program.instantiate(memory, addresses());
    PtxGrid grid = new PtxGrid(1, 1, 1, 1, 1, 1, 0);

    assertThatThrownBy(() -> program.instantiate(memory, new long[2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("2 addresses for 5 global variables");
    assertThatThrownBy(() -> program.instantiate(memory, new long[] {4, 0, 0, 0, 0}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'bytes' is not a multiple of 8");
    assertThatThrownBy(() -> instance.run("missing", grid, new byte[24], memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the module has no entry 'missing'; it has [k]");
    assertThatThrownBy(() -> instance.run("k", grid, new byte[23], memory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("k takes 24 bytes of parameters, not 23");
    assertThatThrownBy(() -> instance.parameterOffset("k", 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> instance.withInstructionLimit(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void impossibleGridsAreRefused() {
    assertThatThrownBy(() -> new PtxGrid(0, 1, 1, 1, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PtxGrid(1, 1, 1, 32, 32, 2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 1024");
    assertThatThrownBy(() -> new PtxGrid(1, 1, 1, 65536, 65536, 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PtxGrid(1, 1, 1, 1, 1, 1, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
