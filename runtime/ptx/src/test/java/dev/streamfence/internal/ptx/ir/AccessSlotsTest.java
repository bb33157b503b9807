package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The analysis distinguishes the successive values of a register. */
class AccessSlotsTest {
  private static FunctionFlow flow(String body) {
    PtxModule module =
        PtxModule.parse(
            ".version 8.0\n.target sm_90\n.address_size 64\n.global .b64 g;\n"
                + ".func (.reg .b32 %o) f(.reg .b32 %a) { ret; }\n"
                + ".entry k() {\n.reg .b32 %r<8>; .reg .pred %p<2>;\n"
                + body
                + "}\n");
    return new FunctionFlow(module.entries().get(0).function());
  }

  private static int result(FunctionFlow flow, int instruction) {
    Operand.RegisterUse use = (Operand.RegisterUse) flow.instruction(instruction).operands().get(0);
    return flow.slots().assignment(instruction, use.register().index());
  }

  private static int source(FunctionFlow flow, int instruction) {
    Operand.RegisterUse use = (Operand.RegisterUse) flow.instruction(instruction).operands().get(1);
    return flow.slots().use(instruction, use.register().index());
  }

  @Test
  void aRegisterThatIsAssignedOnceHasItsOwnSlot() {
    FunctionFlow flow = flow("mov.u32 %r1, 1; mov.u32 %r2, %r1;");

    assertThat(result(flow, 0)).isEqualTo(source(flow, 1));
    assertThat(flow.slots().size()).isEqualTo(flow.function().registers());
  }

  @Test
  void eachAssignmentInAStraightPieceHasASlotOfItsOwn() {
    FunctionFlow flow = flow("mov.u32 %r1, 1; mov.u32 %r2, %r1; mov.u32 %r1, 2; mov.u32 %r3, %r1;");

    assertThat(result(flow, 0)).isEqualTo(source(flow, 1));
    assertThat(result(flow, 2)).isEqualTo(source(flow, 3)).isNotEqualTo(result(flow, 0));
    assertThat(flow.slots().isLasting(result(flow, 0))).isFalse();
    assertThat(flow.slots().isLasting(result(flow, 2))).isTrue();
  }

  @Test
  void aConditionalAssignmentAddsToTheValuesOfItsRegister() {
    FunctionFlow flow = flow("mov.u32 %r1, 1; @%p1 mov.u32 %r1, 2; mov.u32 %r3, %r1;");

    assertThat(result(flow, 1)).isEqualTo(result(flow, 0)).isEqualTo(source(flow, 2));
  }

  @Test
  void aLabelEndsAStraightPiece() {
    FunctionFlow flow =
        flow("mov.u32 %r1, 1; mov.u32 %r1, 2; @%p1 bra L; mov.u32 %r1, 3; L: mov.u32 %r3, %r1;");

    Set<Integer> slots = new TreeSet<>(Set.of(result(flow, 0), result(flow, 1), result(flow, 3)));
    assertThat(slots).hasSize(3).doesNotContain(source(flow, 4));
    assertThat(flow.slots().isLasting(result(flow, 0))).isFalse();
    assertThat(flow.slots().isLasting(result(flow, 1))).isTrue();
    assertThat(flow.slots().isLasting(result(flow, 3))).isTrue();
  }

  @Test
  void slotsKnowHowTheyAreAssigned() {
    FunctionFlow flow =
        flow(
            "ld.global.u32 %r1, [g]; mov.u32 %r2, %r1; mov.u32 %r2, %r3; ld.global.u32 %r2, [g];"
                + "call (%r5), f, (%r6);");
    RegisterSlots slots = flow.slots();

    assertThat(slots.isAssigned(result(flow, 0))).isTrue();
    assertThat(slots.isComputed(result(flow, 0))).isFalse();
    assertThat(slots.isAssigned(result(flow, 1))).isTrue();
    assertThat(slots.isComputed(result(flow, 1))).isTrue();
    assertThat(slots.isComputed(result(flow, 2))).isTrue();
    assertThat(slots.isAssigned(result(flow, 3))).isTrue();
    assertThat(slots.isComputed(result(flow, 3))).isFalse();
    assertThat(slots.isAssigned(source(flow, 2))).isFalse();
    assertThat(slots.isComputed(source(flow, 2))).isFalse();
    int shared = ((Operand.RegisterUse) flow.instruction(1).operands().get(0)).register().index();
    assertThat(slots.isAssigned(shared)).isTrue();
    assertThat(slots.isComputed(shared)).isTrue();
  }
}
