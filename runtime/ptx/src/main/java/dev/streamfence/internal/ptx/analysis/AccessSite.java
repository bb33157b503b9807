package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An instruction that accesses, or may access, the memory behind a parameter. Immutable. */
public final class AccessSite {
  private static final Pattern PARAMETER = Pattern.compile("\\bparameter (\\d{1,6})\\b");

  private final int line;
  private final String function;
  private final String instruction;
  private final String reason;
  private final @Nullable SourcePosition position;
  private final @Nullable AccessSite cause;

  AccessSite(
      int line,
      String function,
      String instruction,
      String reason,
      @Nullable SourcePosition position) {
    this(line, function, instruction, reason, position, null);
  }

  private AccessSite(
      int line,
      String function,
      String instruction,
      String reason,
      @Nullable SourcePosition position,
      @Nullable AccessSite cause) {
    this.line = line;
    this.function = function;
    this.instruction = instruction;
    this.reason = reason;
    this.position = position;
    this.cause = cause;
  }

  /**
   * Returns the site of an instruction.
   *
   * @param reason a clause that says why an access is unclear; may be empty
   */
  public static AccessSite of(
      PtxModule module, String function, Instruction instruction, String reason) {
    return new AccessSite(
        instruction.line(),
        function,
        instruction.mnemonic(),
        reason,
        module.position(instruction.source()).orElse(null));
  }

  /** Returns the site with the one where its pointer gets out of sight. */
  AccessSite because(AccessSite first) {
    return new AccessSite(line, function, instruction, reason, position, first);
  }

  /**
   * Returns the site with the names of parameters in its reason, instead of their numbers.
   *
   * @param names names the parameter with an index from 0
   */
  public AccessSite withNames(IntFunction<String> names) {
    String named =
        PARAMETER
            .matcher(reason)
            .replaceAll(
                match ->
                    Matcher.quoteReplacement(
                        "'" + names.apply(Integer.parseInt(match.group(1)) - 1) + "'"));
    return new AccessSite(line, function, instruction, named, position, cause);
  }

  /** Returns the site that comes first in the text. */
  static AccessSite first(AccessSite a, AccessSite b) {
    return a.line <= b.line ? a : b;
  }

  /**
   * Returns the position of the instruction.
   *
   * @return the line in the PTX text, counted from 1
   */
  public int line() {
    return line;
  }

  /**
   * Returns the function that contains the instruction.
   *
   * @return the name of the entry or of a function that it calls, as written in the PTX text
   */
  public String function() {
    return function;
  }

  /**
   * Returns the instruction without its operands.
   *
   * @return opcode and modifiers, such as {@code st.global.f32}
   */
  public String instruction() {
    return instruction;
  }

  /**
   * Returns the reason why the access is not definite.
   *
   * @return a clause, or empty if the access is definite
   */
  public Optional<String> reason() {
    return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
  }

  /**
   * Returns the position in the source; in an inlined function, the innermost position outside the
   * headers of the CUDA toolkit.
   *
   * @return the position, if the PTX text has it
   */
  public Optional<SourcePosition> position() {
    return Optional.ofNullable(position);
  }

  /**
   * Returns the earlier instruction after which it is unclear to which parameter the address
   * belongs.
   *
   * @return the site, which has no reason, if there is one in the same function
   */
  public Optional<AccessSite> cause() {
    return Optional.ofNullable(cause);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AccessSite site
        && line == site.line
        && function.equals(site.function)
        && instruction.equals(site.instruction)
        && reason.equals(site.reason)
        && Objects.equals(position, site.position)
        && Objects.equals(cause, site.cause);
  }

  @Override
  public int hashCode() {
    return Objects.hash(line, function, instruction, reason, position, cause);
  }

  @Override
  public String toString() {
    String text = instruction + " in line " + line;
    if (position != null) {
      text += " (" + position + ")";
    }
    String since = cause == null ? "" : " since " + cause;
    return reason.isEmpty() ? text : text + ": " + reason + since;
  }
}
