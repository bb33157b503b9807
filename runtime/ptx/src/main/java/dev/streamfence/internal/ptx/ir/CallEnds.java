package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the calls of a module do to a thread besides returning. Confined to one thread. */
public final class CallEnds {
  /** Functions of the device's own library that return, or end the whole run. */
  private static final Set<String> RETURNING = Set.of("vprintf", "malloc", "free");

  private static final Set<String> TRAPPING = Set.of("__assertfail", "__assert_fail");

  private final PtxModule module;
  private final boolean countsTraps;
  private final Map<String, Boolean> known = new HashMap<>();

  /**
   * Creates the ends of calls.
   *
   * @param countsTraps whether a trap in a function is an end of the thread; otherwise a run that
   *     traps does not matter
   */
  public CallEnds(PtxModule module, boolean countsTraps) {
    this.module = module;
    this.countsTraps = countsTraps;
  }

  /** Returns whether a call may end the thread. */
  public boolean mayExit(Instruction call) {
    return CallSite.of(call).name().map(this::exits).orElse(true);
  }

  /** Returns whether a call ends the run. */
  boolean traps(Instruction call) {
    return CallSite.of(call).name().filter(TRAPPING::contains).isPresent();
  }

  /** Whether a function, or one that it calls, may end the thread. */
  private boolean exits(String name) {
    Boolean found = known.get(name);
    if (found != null) {
      return found;
    }
    // A function that calls itself may exit, for all that is known before its end.
    known.put(name, true);
    Optional<PtxFunction> called = module.function(name);
    boolean exits = called.filter(PtxFunction::hasBody).isEmpty() && !RETURNING.contains(name);
    List<Instruction> body = called.map(PtxFunction::instructions).orElse(List.of());
    for (int i = 0; i < body.size() && !exits; i++) {
      exits =
          switch (OpcodeTable.rule(body.get(i)).control()) {
            case EXIT -> true;
            case TRAP -> countsTraps;
            case CALL -> (countsTraps || !traps(body.get(i))) && mayExit(body.get(i));
            default -> false;
          };
    }
    known.put(name, exits);
    return exits;
  }
}
