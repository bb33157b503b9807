package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.syntax.Instruction;

/** One instruction in one activation of its function. */
record Step(Activation activation, int index) {
  Instruction instruction() {
    return activation.flow().instruction(index);
  }
}
