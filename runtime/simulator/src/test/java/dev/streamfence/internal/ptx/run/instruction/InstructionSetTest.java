package dev.streamfence.internal.ptx.run.instruction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.ir.OpcodeTable;
import org.junit.jupiter.api.Test;

/** The interpreter runs nothing that the analyses do not know. */
class InstructionSetTest {
  @Test
  void everyOpcodeThatTheInterpreterRunsIsARowOfTheTable() {
    assertThat(InstructionSet.opcodes())
        .hasSizeGreaterThan(80)
        .allMatch(
            opcode ->
                OpcodeTable.opcodes().stream()
                    .anyMatch(row -> row.equals(opcode) || row.startsWith(opcode + ".")));
  }
}
