package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs random kernels on the simulated device: the analysis must have predicted their accesses. */
@Tag("search")
class AccessSimulationTest {
  private static final int KERNELS = 1500;

  /** Far apart, so that no mistake in an address leads from one to another. */
  private static final long[] BASES = {
    0x0000_71A3_5C10_0000L,
    0x0000_7282_9D50_0000L,
    0x0000_7364_0E90_0000L,
    0x0000_7545_B1D0_0000L,
    0x0000_7727_4230_0000L
  };

  /** Notes which of the buffers are read and written; takes any address. */
  private static final class WatchedMemory implements GlobalMemory {
    final boolean[] read = new boolean[BASES.length];
    final boolean[] written = new boolean[BASES.length];
    private final Map<Long, Long> content = new HashMap<>();

    private static void note(boolean[] touched, long address) {
      for (int i = 0; i < BASES.length; i++) {
        touched[i] |= Math.abs(address - BASES[i]) < 1 << 20;
      }
    }

    @Override
    public long load(long address, int bytes) {
      note(read, address);
      long value = 0;
      for (int i = 0; i < bytes; i++) {
        value |= content.getOrDefault(address + i, 0L) << 8 * i;
      }
      return value;
    }

    @Override
    public void store(long address, int bytes, long value) {
      note(written, address);
      for (int i = 0; i < bytes; i++) {
        content.put(address + i, value >>> 8 * i & 0xFF);
      }
    }
  }

  private static ParameterAccess access(KernelAccesses accesses, int pointer) {
    return pointer < 3 ? accesses.parameter(pointer) : accesses.parameter(4, (pointer - 3) * 8);
  }

  private static boolean mayRead(ParameterAccess access) {
    return access.read().isPresent() || access.possibleRead().isPresent();
  }

  private static boolean mayWrite(ParameterAccess access) {
    return access.write().isPresent() || access.possibleWrite().isPresent();
  }

  @Test
  void everyAccessOfARandomKernelWasPredicted() {
    int certainlyUntouched = 0;
    for (int seed = 0; seed < KERNELS; seed++) {
      Random random = new Random(seed);
      String text = new RandomPointerKernel(random).write(1 + random.nextInt(12));
      PtxModule module = PtxModule.parse(text);
      WatchedMemory memory = new WatchedMemory();
      PtxInstance instance = PtxProgram.translate(module).instantiate(memory, new long[0]);
      byte[] parameters = new byte[instance.parameterSpaceSize("k")];
      for (int i = 0; i < 6; i++) {
        // The number is small, and keeps addresses aligned.
        long value = i == 3 ? 8L * random.nextInt(8) : BASES[i < 3 ? i : i - 1];
        Buffers.view(parameters).putLong(i * 8, value);
      }
      instance.run("k", new PtxGrid(1, 1, 1, 2, 1, 1, 0), parameters, memory);

      PtxEntry entry = module.entries().get(0);
      for (ParameterRoles roles :
          new ParameterRoles[] {
            ParameterRoles.UNDECLARED,
            (p, offset) -> p == 3 ? ParameterRole.NUMBER : ParameterRole.BUFFER
          }) {
        if (roles == ParameterRoles.UNDECLARED && text.contains(RandomPointerKernel.MULTIPLIED)) {
          // What is multiplied counts as a number, unless it was declared a buffer.
          continue;
        }
        KernelAccesses accesses = KernelAccesses.of(module, entry, roles);
        for (int i = 0; i < BASES.length; i++) {
          ParameterAccess access = access(accesses, i);
          String what = "seed " + seed + ", pointer " + i + ", " + access + "\n" + text;
          assertThat(mayRead(access) || !memory.read[i]).as(what).isTrue();
          assertThat(mayWrite(access) || !memory.written[i]).as(what).isTrue();
          // Every access in these kernels is run.
          assertThat(access.read().isEmpty() || memory.read[i]).as(what).isTrue();
          assertThat(access.write().isEmpty() || memory.written[i]).as(what).isTrue();
          certainlyUntouched += mayRead(access) || mayWrite(access) ? 0 : 1;
        }
      }
    }

    assertThat(certainlyUntouched).as("not all is said to be touched").isGreaterThan(KERNELS);
  }
}
