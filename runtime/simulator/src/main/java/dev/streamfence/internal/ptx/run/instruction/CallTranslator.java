package dev.streamfence.internal.ptx.run.instruction;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.run.machine.Bytes;
import dev.streamfence.internal.ptx.run.machine.Call;
import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.run.machine.Windows;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Translates calls of the module's own functions, and of the few system functions. */
final class CallTranslator {
  private static final int LONGEST_TEXT = 512;

  private CallTranslator() {}

  static Op translate(Translation t) {
    t.has("uni");
    CallSite call = CallSite.of(t.instruction());
    if (!call.odd().isEmpty()) {
      throw t.unsupported("its arguments are not in parentheses");
    }
    List<Operand> arguments = call.arguments();
    List<Operand> results = call.results();
    if (call.name().isEmpty()) {
      return indirect(t, call);
    }
    String called = call.name().get();
    Optional<Code> code = t.function().named(called);
    if (code.isPresent()) {
      Code callee = code.get();
      if (callee.function.entry()) {
        throw t.unsupported("'" + called + "' is an entry");
      }
      return call(t, callee, lane -> callee, arguments, results);
    }
    return switch (called) {
      case "vprintf" -> print(t, arguments, results);
      case "__assertfail" -> assertion(t, arguments);
      default ->
          throw t.unsupported(
              t.function().module().isDeclared(called)
                  ? "'" + called + "' has no body and is no system function of the simulated device"
                  : "there is no function '" + called + "'");
    };
  }

  /** Translates a call through a register; the prototype describes the arguments and results. */
  private static Op indirect(Translation t, CallSite call) {
    if (!(call.target() instanceof Operand.RegisterUse target)) {
      throw t.unsupported("it names no function");
    }
    Operand last = t.operand(t.operands() - 1);
    PtxFunction prototype = last instanceof Operand.Name name ? name.label().prototype() : null;
    if (prototype == null) {
      throw t.unsupported("a call through a register needs a .callprototype");
    }
    Code shape = new Code(prototype, -1);
    if (!shape.isCalledThroughMemory()) {
      throw t.unsupported("a call through a register passes values in memory only");
    }
    int slot = t.function().source(t, target, ScalarType.B64);
    return call(
        t,
        shape,
        lane -> pointedTo(lane, lane.registers[slot], shape),
        call.arguments(),
        call.results());
  }

  private static Code pointedTo(Lane lane, long pointer, Code shape) {
    Code[] codes = lane.block.codes;
    long index = (pointer - Windows.FUNCTION) >> 4;
    if (index < 0 || index >= codes.length || (pointer & 15) != 0) {
      throw lane.fault(Reason.TRAP, "calls through a pointer to no function", pointer);
    }
    Code callee = codes[(int) index];
    if (callee.function.entry() || !callee.hasShapeOf(shape)) {
      throw lane.fault(
          Reason.TRAP,
          "calls '" + callee.function.name() + "' as if it took and returned other values",
          pointer);
    }
    return callee;
  }

  private static Op call(
      Translation t,
      Code callee,
      Call.Callee chosen,
      List<Operand> arguments,
      List<Operand> results) {
    PtxFunction function = callee.function;
    if (arguments.size() != function.parameters().size()
        || results.size() != function.returns().size()) {
      throw t.unsupported(
          String.format(
              "'%s' takes %d and returns %d values, not %d and %d",
              function.name(),
              function.parameters().size(),
              function.returns().size(),
              arguments.size(),
              results.size()));
    }
    List<Call.Move> passed = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      passed.add(pass(t, callee, function.parameters().get(i), arguments.get(i)));
    }
    List<Call.Move> taken = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      taken.add(take(t, callee, function.returns().get(i), results.get(i)));
    }
    return new Call(chosen, passed, taken);
  }

  /** One side of a move: an offset or a slot, and its size. */
  private record Location(boolean memory, int at, int bytes) {}

  private static Location formal(Code callee, PtxFunction.Formal formal) {
    if (formal instanceof PtxFunction.Formal.InMemory memory) {
      Variable variable = memory.variable();
      int offset = callee.paramLayout.offset(variable).orElseThrow().intValue();
      return new Location(true, offset, (int) variable.sizeInBytes());
    }
    Register register = ((PtxFunction.Formal.InRegister) formal).register();
    return new Location(false, register.index(), register.type().bytes());
  }

  private static Location actual(Translation t, Operand operand, boolean result, Location formal) {
    if (operand instanceof Operand.VariableAddress use
        && use.variable().space() == StateSpace.PARAM) {
      int offset = t.function().code().paramLayout.offset(use.variable()).orElseThrow().intValue();
      return new Location(
          true, offset + (int) use.offset(), (int) (use.variable().sizeInBytes() - use.offset()));
    }
    ScalarType type =
        switch (formal.bytes) {
          case 1 -> ScalarType.B8;
          case 2 -> ScalarType.B16;
          case 4 -> ScalarType.B32;
          case 8 -> ScalarType.B64;
          default -> throw t.unsupported("a register cannot hold " + formal.bytes + " bytes");
        };
    int slot =
        result ? t.function().destination(t, operand, type) : t.function().source(t, operand, type);
    return new Location(false, slot, formal.bytes);
  }

  private static Call.Move pass(
      Translation t, Code callee, PtxFunction.Formal formal, Operand operand) {
    Location to = formal(callee, formal);
    Location from = actual(t, operand, false, to);
    checkSizes(t, to, from);
    return new Call.Move(from.memory, from.at, to.memory, to.at, to.bytes);
  }

  private static Call.Move take(
      Translation t, Code callee, PtxFunction.Formal formal, Operand operand) {
    Location from = formal(callee, formal);
    Location to = actual(t, operand, true, from);
    checkSizes(t, from, to);
    return new Call.Move(from.memory, from.at, to.memory, to.at, from.bytes);
  }

  private static void checkSizes(Translation t, Location formal, Location actual) {
    boolean scalar = formal.bytes == Integer.highestOneBit(formal.bytes) && formal.bytes <= 8;
    if (formal.bytes != actual.bytes || (!scalar && !(formal.memory && actual.memory))) {
      throw t.unsupported(
          "a value of " + actual.bytes + " bytes is passed for one of " + formal.bytes);
    }
  }

  private static Op print(Translation t, List<Operand> arguments, List<Operand> results) {
    if (arguments.size() != 2) {
      throw t.unsupported("'vprintf' takes a format and a buffer");
    }
    Location format = actual(t, arguments.get(0), false, new Location(true, 0, 8));
    Location buffer = actual(t, arguments.get(1), false, new Location(true, 0, 8));
    Location to =
        results.isEmpty() ? null : actual(t, results.get(0), true, new Location(true, 0, 4));
    return lane -> {
      int printed = Printf.print(lane, value(lane, format), value(lane, buffer));
      if (to != null && to.memory) {
        Bytes.put(lane.params, to.at, 4, printed);
      } else if (to != null) {
        lane.registers[to.at] = Integer.toUnsignedLong(printed);
      }
    };
  }

  private static Op assertion(Translation t, List<Operand> arguments) {
    if (arguments.size() < 3) {
      throw t.unsupported("'__assertfail' takes a message, a file and a line");
    }
    Location message = actual(t, arguments.get(0), false, new Location(true, 0, 8));
    Location file = actual(t, arguments.get(1), false, new Location(true, 0, 8));
    Location line = actual(t, arguments.get(2), false, new Location(true, 0, 4));
    return lane -> {
      String where = text(lane, value(lane, file)) + ":" + (int) value(lane, line);
      throw lane.fault(
          Reason.ASSERT,
          "fails the assertion '" + text(lane, value(lane, message)) + "' of " + where,
          0);
    };
  }

  private static long value(Lane lane, Location place) {
    return place.memory ? Bytes.get(lane.params, place.at, place.bytes) : lane.registers[place.at];
  }

  private static String text(Lane lane, long address) {
    return new String(LaneText.read(lane, address, LONGEST_TEXT).getBytes(ISO_8859_1), UTF_8);
  }
}
