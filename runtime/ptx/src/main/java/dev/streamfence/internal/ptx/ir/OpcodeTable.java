package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.ir.Opcode.Control;
import dev.streamfence.internal.ptx.ir.Opcode.Effect;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules of all known PTX opcodes. Every other opcode is unknown, so a new opcode can make a
 * verdict less definite, but never wrong.
 *
 * <p>An opcode may be written with its first modifiers; the longest match counts. An opcode that
 * computes is followed by its transfer function, and by its operation if it has one; one that may
 * change where control goes by that; any other by its effect and one letter for each operand.
 * Further operands are counters if they are addresses, and numbers otherwise.
 *
 * <ul>
 *   <li>{@code d}: a result that is loaded from memory; {@code D}: a result that is a number
 *   <li>{@code L}: a result that is loaded from memory that no pointer leads to
 *   <li>{@code r}, {@code w}, {@code b}: an address that is read, written, or both
 *   <li>{@code n}: an address that the instruction does not access
 *   <li>{@code t}: a tensor if it has coordinates, otherwise an address as {@code b}
 *   <li>{@code u}: an address of an unknown object, such as a texture
 *   <li>{@code v}: a value that is stored; {@code -}: a number
 *   <li>{@code s}: a descriptor of a matrix in shared memory, or a part of such a matrix
 *   <li>{@code A}: a sum of products, to which any operand may contribute
 * </ul>
 */
public final class OpcodeTable {
  private static final String COMPUTING =
      """
      add ADD ADD; addc ADD; sub SUBTRACT SUBTRACT; subc SUBTRACT
      mul MULTIPLY MULTIPLY; mul.hi BITS MULTIPLY_HIGH; mul24 MULTIPLY; mul24.hi BITS
      mad MULTIPLY_ADD MULTIPLY_ADD; mad.hi MIX MULTIPLY_HIGH_ADD; madc MULTIPLY_ADD
      madc.hi MIX; mad24 MULTIPLY_ADD; mad24.hi MIX; div BITS DIVIDE; rem BITS REMAINDER
      sad MIX ADD_DIFFERENCE; abs MIX ABSOLUTE; neg NEGATE NEGATE; min JOIN MIN; max JOIN MAX
      and AND AND; or OR OR; xor MIX XOR; not NEGATE NOT; cnot BITS IS_ZERO; lop3 BITS
      shl SHIFT_LEFT SHIFT_LEFT; shr BITS SHIFT_RIGHT; shf BITS; prmt BITS; bfe BITS FIELD
      bfi INSERT; szext BITS; bmsk BITS; brev MIX REVERSE; bfind COUNT FIND_HIGHEST
      clz COUNT COUNT_LEADING_ZEROS; popc COUNT COUNT_ONES; fns COUNT; dp2a BITS; dp4a BITS
      mov FIRST MOVE; cvt CONVERT CONVERT; cvt.pack BITS; cvta FIRST ADDRESS; selp SELECT SELECT
      slct SELECT; set COMPARE; setp COMPARE COMPARE; testp COMPARE; copysign MIX
      isspacep COMPARE; istypep COMPARE; fma MULTIPLY_ADD; rcp BITS; sqrt BITS; rsqrt BITS
      sin BITS; cos BITS; lg2 BITS
      ex2 BITS; tanh BITS; mma MATRIX; wmma.mma MATRIX; movmatrix SHUFFLE
      shfl SHUFFLE; vote LANES; match LANES; activemask LANES; redux REDUCE; elect LANES
      bar.red LANES; barrier.red LANES; barrier.cta.red LANES
      mapa FIRST; getctarank NUMBER; createpolicy.fractional NUMBER; createpolicy.cvt NUMBER
      mbarrier.pending_count NUMBER; clusterlaunchcontrol.query_cancel NUMBER
      stacksave NUMBER; alloca ALLOCATE
      vadd BITS; vsub BITS; vabsdiff BITS; vmin BITS; vmax BITS; vshl BITS; vshr BITS; vmad BITS
      vset NUMBER; vadd2 BITS; vsub2 BITS; vavrg2 BITS; vabsdiff2 BITS; vmin2 BITS; vmax2 BITS
      vset2 NUMBER; vadd4 BITS; vsub4 BITS; vavrg4 BITS; vabsdiff4 BITS; vmin4 BITS; vmax4 BITS
      vset4 NUMBER
      """;

  private static final String OTHER =
      """
      ld reads dr; ldu reads dr; multimem.ld_reduce reads dr; wmma.load reads dr-
      ldmatrix reads dr
      st writes wv; st.async writes wv; st.bulk writes w--; multimem.st writes wv
      wmma.store writes wv-; stmatrix writes wv; discard writes w-; tcgen05.alloc writes w-
      clusterlaunchcontrol.try_cancel writes w
      atom atomic dbvv; red atomic bv; red.async atomic bv; multimem.red atomic bv
      mbarrier.init atomic b-; mbarrier.inval atomic b; mbarrier.expect_tx atomic b-
      mbarrier.complete_tx atomic b-; mbarrier.arrive atomic Db-; mbarrier.arrive_drop atomic Db-
      mbarrier.test_wait atomic Db-; mbarrier.try_wait atomic Db--; tcgen05.commit atomic b-
      cp.async.mbarrier.arrive atomic b; tensormap.replace atomic bvv
      cp.async.ca copies wr--; cp.async.cg copies wr--
      cp.async.bulk.global copies wr-; cp.async.bulk.shared::cta copies wr-
      cp.async.bulk.shared::cluster copies wr-; cp.reduce.async.bulk.global atomic br-
      cp.reduce.async.bulk.shared::cluster atomic br-
      multimem.cp.async.bulk copies wr-; multimem.cp.reduce.async.bulk atomic br-
      tensormap.cp_fenceproxy copies wr-
      prefetch no_access n; prefetchu no_access n; applypriority no_access n-
      createpolicy.range no_access Dn--; cp.async.bulk.prefetch no_access n-
      cp.async.bulk.prefetch.tensor no_access n; fence no_access n-; membar no_access
      bar no_access; bar.warp no_access; barrier no_access; barrier.cta no_access
      barrier.cluster no_access; brkpt no_access; pmevent no_access; nanosleep no_access
      griddepcontrol no_access; setmaxnreg no_access; stackrestore no_access
      cp.async.commit_group no_access; cp.async.wait_group no_access; cp.async.wait_all no_access
      cp.async.bulk.commit_group no_access; cp.async.bulk.wait_group no_access
      wgmma.fence no_access; wgmma.commit_group no_access; wgmma.wait_group no_access
      tcgen05.dealloc no_access; tcgen05.relinquish_alloc_permit no_access
      tcgen05.ld no_access Ln; tcgen05.ld.red no_access LLn; tcgen05.st no_access nv
      tcgen05.wait::ld no_access; tcgen05.wait::st no_access; tcgen05.cp no_access ns
      tcgen05.shift no_access n; tcgen05.mma no_access nssnnnnn; wgmma.mma_async no_access Ass-------
      tcgen05.fence::before_thread_sync no_access; tcgen05.fence::after_thread_sync no_access
      txq no_access Dn; suq no_access Dn
      cp.async.bulk.tensor unknown tt; cp.reduce.async.bulk.tensor unknown tt
      tex unknown Du; tld4 unknown Du; suld unknown Du; sust unknown uv; sured unknown uv
      """;

  private static final String CONTROL =
      """
      bra BRANCH; brx TABLE_BRANCH; call CALL; ret RETURN; exit EXIT; trap TRAP
      """;

  private static final Map<String, Opcode> RULES = new HashMap<>();

  /** Opcodes whose modifiers are checked: a new modifier could give an operand another meaning. */
  private static final List<String> STRICT = List.of("ld", "ldu", "st", "atom", "red");

  private static final Pattern MODIFIER =
      Pattern.compile(
          "global|local|const(\\[\\d+])?|generic|param(::entry|::func)?|shared(::cta|::cluster)?"
              + "|weak|volatile|relaxed|acquire|release|acq_rel|mmio|sc|cta|cluster|gpu|sys"
              + "|ca|cg|cs|lu|cv|wb|wt|nc|unified|L1::\\w+|L2::\\w+|v2|v4|v8|pred"
              + "|[bus](8|16|32|64|128)|f(16|32|64|16x2)|bf16(x2)?|e\\dm\\d(x\\d)?"
              + "|add|min|max|inc|dec|and|or|xor|cas|exch|noftz|async|bulk|mbarrier::\\w+(::\\w+)*");

  static {
    for (List<String> words : rules(COMPUTING)) {
      Operation operation = words.size() > 2 ? Operation.valueOf(words.get(2)) : null;
      Opcode.Transfer transfer = Opcode.Transfer.valueOf(words.get(1));
      add(words, new Opcode(Effect.COMPUTES, transfer, "", Control.NEXT, operation));
    }
    for (List<String> words : rules(OTHER)) {
      Effect effect = Effect.valueOf(words.get(1).toUpperCase(Locale.ROOT));
      String operands = words.size() > 2 ? words.get(2) : "";
      add(words, new Opcode(effect, Opcode.Transfer.NONE, operands, Control.NEXT, null));
    }
    for (List<String> words : rules(CONTROL)) {
      Control control = Control.valueOf(words.get(1));
      Effect effect = control == Control.CALL ? Effect.CALLS : Effect.NO_ACCESS;
      add(words, new Opcode(effect, Opcode.Transfer.NONE, "", control, null));
    }
  }

  private OpcodeTable() {}

  private static List<List<String>> rules(String table) {
    return Pattern.compile("[;\n]")
        .splitAsStream(table)
        .map(rule -> Pattern.compile(" ").splitAsStream(rule.trim()).toList())
        .filter(words -> words.size() > 1)
        .toList();
  }

  private static void add(List<String> words, Opcode row) {
    if (RULES.put(words.get(0), row) != null) {
      throw new IllegalStateException("opcode " + words.get(0) + " is in the table twice");
    }
  }

  /** Returns the opcodes of the table, with modifiers where the table distinguishes them. */
  public static Set<String> opcodes() {
    return Set.copyOf(RULES.keySet());
  }

  /** Returns the opcodes that are an operation on integers, without modifiers. */
  public static Set<String> ofOperations() {
    return RULES.entrySet().stream()
        .filter(row -> row.getValue().operation() != null)
        .map(row -> row.getKey().replaceFirst("\\..*", ""))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the rule for an instruction as it is written. */
  static Opcode rule(Instruction instruction) {
    return rule(instruction, row(instruction));
  }

  /** Returns the rule for an instruction with the row of its opcode and modifiers. */
  static Opcode rule(Instruction instruction, Opcode row) {
    Opcode rule = row;
    boolean memory = false;
    List<Operand> operands = instruction.operands();
    if (!rule.operands().isEmpty()
        && rule.isDestination(0)
        && !operands.isEmpty()
        && operands.get(0) instanceof Operand.Memory) {
      rule = rule.withoutResult();
    }
    for (int i = 0; i < operands.size(); i++) {
      char letter = rule.letter(i);
      if (operands.get(i) instanceof Operand.Memory place) {
        memory = true;
        if ("tun".indexOf(letter) < 0 && !place.more().isEmpty()) {
          return rule.unknown();
        }
      } else if ("rwbtu".indexOf(letter) >= 0) {
        return rule.unknown();
      }
    }
    boolean takesMemory = !rule.operands().isEmpty();
    return memory && !takesMemory ? rule.unknown() : rule;
  }

  /** Returns the row of an opcode with its modifiers. */
  static Opcode row(Instruction instruction) {
    if (STRICT.contains(instruction.opcode())
        && !instruction.modifiers().stream().allMatch(m -> MODIFIER.matcher(m).matches())) {
      return Opcode.UNKNOWN;
    }
    StringBuilder name = new StringBuilder(instruction.opcode());
    Opcode found = RULES.getOrDefault(name.toString(), Opcode.UNKNOWN);
    for (String modifier : instruction.modifiers()) {
      name.append('.').append(modifier);
      if (name.length() > 48) {
        break;
      }
      found = RULES.getOrDefault(name.toString(), found);
    }
    return found;
  }
}
