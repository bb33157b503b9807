package dev.streamfence.internal.ptx.check;

import static dev.streamfence.launch.KernelParameter.annotation;

import dev.streamfence.internal.ptx.analysis.AccessChoice;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.KernelParameter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares an access through one of several parameters with their declarations: if none of these
 * allows it, one of them is certainly wrong. Stateless.
 */
final class ChoiceCheck {
  private ChoiceCheck() {}

  /**
   * Returns the difference, on the first of the parameters, if there is one. Where the kernel
   * accesses one of them in any case, that one has the error, and the others may be right.
   */
  static Optional<Mismatch> compare(
      AccessChoice choice, KernelAccesses accesses, List<KernelParameter.Passed> declared) {
    for (AccessChoice.Member member : choice.parameters()) {
      ChosenArray each = member.parameter() < 0 ? null : find(declared, member);
      ParameterAccess access = access(accesses, member);
      boolean isCertain = (choice.reads() ? access.read() : access.write()).isPresent();
      if (each == null || isCertain || allows(each.tracked().access(), choice.reads())) {
        return Optional.empty();
      }
    }
    AccessChoice.Member member = choice.parameters().get(0);
    ChosenArray first = find(declared, member);
    return first == null
        ? Optional.empty()
        : Optional.of(mismatch(choice, member, first.name(), access(accesses, member)));
  }

  private static Mismatch mismatch(
      AccessChoice choice, AccessChoice.Member member, String name, ParameterAccess access) {
    Access declared = choice.reads() ? Access.WRITE : Access.READ;
    Subject subject =
        new Subject(
            member.parameter(), name, "it or another array that is " + annotation(declared));
    boolean mayLoad = access.read().or(access::possibleRead).isPresent();
    boolean mayStore = access.write().or(access::possibleWrite).isPresent();
    Access fitting =
        mayLoad && mayStore ? Access.READ_WRITE : choice.reads() ? Access.READ : Access.WRITE;
    return Mismatch.at(
        choice.site(),
        subject,
        choice.reads() ? Difference.LOADS : Difference.STORES,
        annotation(fitting));
  }

  private static boolean allows(Access access, boolean reads) {
    return reads ? access.reads() : access.writes();
  }

  private static ParameterAccess access(KernelAccesses accesses, AccessChoice.Member member) {
    return member.isContent()
        ? accesses.contents(member.parameter(), member.offset())
        : accesses.parameter(member.parameter(), member.offset());
  }

  /** A declared array or table, with the name of its record. */
  private record ChosenArray(String name, KernelParameter.Tracked tracked) {}

  private static @Nullable ChosenArray find(
      List<KernelParameter.Passed> declared, AccessChoice.Member member) {
    KernelParameter.Passed parameter = declared.get(member.parameter());
    if (parameter instanceof KernelParameter.Struct struct) {
      for (int i = 0; i < struct.fields().size(); i++) {
        KernelParameter.Field field = struct.fields().get(i);
        if (struct.layout().offset(i) == member.offset() && fits(field, member)) {
          return new ChosenArray(struct.name(field), (KernelParameter.Tracked) field);
        }
      }
      return null;
    }
    return fits(parameter, member)
        ? new ChosenArray(parameter.name(), (KernelParameter.Tracked) parameter)
        : null;
  }

  /** Returns whether a declaration is the array, or the table of the arrays, that is accessed. */
  private static boolean fits(KernelParameter.Passed declared, AccessChoice.Member member) {
    return member.isContent()
        ? declared instanceof KernelParameter.Table
        : declared instanceof KernelParameter.Array;
  }
}
