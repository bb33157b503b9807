package dev.streamfence.internal.ptx.check;

import static dev.streamfence.launch.KernelParameter.annotation;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.analysis.AccessedWords;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.launch.Access;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.PassedCases;
import dev.streamfence.launch.RecordElement;
import dev.streamfence.launch.StructLayout;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares the declared accesses of one parameter with a kernel's. Confined to one thread. */
final class AccessCheck {
  private final int parameter;
  private final KernelAccesses accesses;
  private final List<Mismatch> mismatches;

  /**
   * Creates the check of one parameter.
   *
   * @param parameter its index among those that the kernel receives
   * @param mismatches receives the differences
   */
  AccessCheck(int parameter, KernelAccesses accesses, List<Mismatch> mismatches) {
    this.parameter = parameter;
    this.accesses = accesses;
    this.mismatches = mismatches;
  }

  void compare(KernelParameter.Passed declared) {
    ParameterAccess whole = accesses.parameter(parameter);
    declared
        .match(
            new PassedCases<>(
                value -> number(value.name(), whole, isLong(value), remedy(value)),
                this::fields,
                array -> array(array, array.name(), 0),
                table -> table(table, table.name(), 0),
                threadCount -> number(threadCount.name(), whole, false, remedy(threadCount))))
        .ifPresent(mismatches::add);
  }

  /** Compares the fields of a structure, of which each may differ. */
  private Optional<Mismatch> fields(KernelParameter.Struct struct) {
    StructLayout layout = struct.layout();
    int compared = -1;
    for (int i = 0; i < struct.fields().size(); i++) {
      KernelParameter.Field field = struct.fields().get(i);
      int offset = layout.offset(i);
      String name = struct.name(field);
      if (field instanceof KernelParameter.Array array) {
        array(array, name, offset).ifPresent(mismatches::add);
      } else if (field instanceof KernelParameter.Table table) {
        table(table, name, offset).ifPresent(mismatches::add);
      } else if (offset / Long.BYTES != compared) {
        // Numbers that share the bytes of an address are told apart from others, not from each
        // other.
        compared = offset / Long.BYTES;
        ParameterAccess access = accesses.parameter(parameter, offset);
        if (field.sizeInBytes() == Long.BYTES) {
          number(name, access, isLong(field), "make this component a DeviceArray")
              .ifPresent(mismatches::add);
        } else if (access.address().isPresent() || hasNeighbour(struct, i)) {
          number(name, access, false, "replace the parts of the address by one DeviceArray")
              .ifPresent(mismatches::add);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns whether the number after this field fills the rest of an address with it. */
  private static boolean hasNeighbour(KernelParameter.Struct struct, int field) {
    StructLayout layout = struct.layout();
    return field + 1 < struct.fields().size()
        && layout.offset(field + 1) / Long.BYTES == layout.offset(field) / Long.BYTES;
  }

  private static String remedy(KernelParameter.Passed number) {
    return number.sizeInBytes() == Long.BYTES
        ? "take a DeviceArray"
        : "take one DeviceArray instead of the parts of its address";
  }

  private static boolean isLong(KernelParameter.Field field) {
    return field instanceof KernelParameter.Value value && value.type() == ElementType.LONG;
  }

  /**
   * Compares a number.
   *
   * @param isLong whether it may be any address that the code puts together from the bits of
   *     numbers
   */
  private Optional<Mismatch> number(
      String name, ParameterAccess access, boolean isLong, String remedy) {
    Subject subject = new Subject(parameter, name, "");
    Optional<AccessSite> throughNumbers =
        isLong ? accesses.accessedThroughNumbers() : Optional.empty();
    return access
        .address()
        .map(site -> Mismatch.at(site, subject, Difference.ADDRESS, remedy))
        .or(
            () ->
                access
                    .possibleAddress()
                    .or(() -> throughNumbers)
                    .map(site -> Mismatch.at(site, subject, Difference.MAY_BE_ADDRESS, remedy)));
  }

  private Optional<Mismatch> array(KernelParameter.Array array, String name, int offset) {
    ParameterAccess access = accesses.parameter(parameter, offset);
    Subject subject = new Subject(parameter, name, "it");
    addContent(array, access, subject);
    return withWidth(compare(array, access, subject), access, subject, array.elementType(), "%s[]");
  }

  /**
   * Adds a difference in the width of elements; not to one that makes the kernel wrong for the
   * array in any case, or leaves its accesses open.
   *
   * @param arrays the declared type, with a place for its elements
   */
  private Optional<Mismatch> withWidth(
      Optional<Mismatch> found,
      ParameterAccess access,
      Subject subject,
      @Nullable ArrayElement elements,
      String arrays) {
    if (elements == null
        || found.map(Mismatch::kind).orElse(Difference.ONLY_LOADS) != Difference.ONLY_LOADS) {
      return found;
    }
    found.ifPresent(mismatches::add);
    String declared = String.format(arrays, elements.typeName());
    return access
        .words()
        .flatMap(
            words ->
                words.areNarrowerThan(elements.sizeInBytes()) && !isFlat(words, elements)
                    ? Optional.of(
                        Mismatch.ofWidth(words, subject, declared, elements.sizeInBytes()))
                    : elements instanceof ElementType type && areOtherFloats(words, type)
                        ? Optional.of(Mismatch.ofFloats(words, subject, declared))
                        : Optional.empty());
  }

  /** Whether words may be the components of records, one by one. */
  private static boolean isFlat(AccessedWords words, ArrayElement elements) {
    return elements instanceof RecordElement element
        && element.fields().stream().allMatch(field -> field.sizeInBytes() == words.bytes());
  }

  private static boolean areOtherFloats(AccessedWords words, ElementType elements) {
    return words.areOtherFloatsThan(elements.isFloatingPoint(), elements.sizeInBytes());
  }

  /** Compares the accesses to a table, which a kernel only reads, and to the arrays in it. */
  private Optional<Mismatch> table(KernelParameter.Table table, String name, int offset) {
    ParameterAccess itself = accesses.parameter(parameter, offset);
    ParameterAccess contents = accesses.contents(parameter, offset);
    Subject subject = new Subject(parameter, name, "its arrays");
    addContent(table, contents, subject);
    if (itself.write().isPresent()) {
      return itself.write().map(site -> Mismatch.at(site, subject, Difference.STORES_TO_TABLE, ""));
    }
    if (itself.read().isPresent() && !accesses.takesAddresses(parameter, offset)) {
      return itself.read().map(site -> Mismatch.at(site, subject, Difference.NO_TABLE, ""));
    }
    Optional<Mismatch> found =
        compare(table, contents, subject)
            .or(
                () ->
                    unclear(subject, table, Difference.MAY_STORE_TO_TABLE, itself.possibleWrite()));
    return withWidth(found, contents, subject, table.elementType(), "a table of %s[]");
  }

  private Optional<Mismatch> compare(
      KernelParameter.Tracked tracked, ParameterAccess access, Subject subject) {
    Access declared = tracked.access();
    boolean mayLoad = access.read().isPresent() || access.possibleRead().isPresent();
    boolean mayStore = access.write().isPresent() || access.possibleWrite().isPresent();
    if (declared.reads() && declared.writes()) {
      return access.read().isPresent() && !mayStore
          ? Optional.of(Mismatch.of(subject, Difference.ONLY_LOADS, ""))
          : Optional.empty();
    }
    if (declared.reads()) {
      return access
          .write()
          .map(
              site ->
                  Mismatch.at(
                      site,
                      subject,
                      Difference.STORES,
                      annotation(mayLoad ? Access.READ_WRITE : Access.WRITE)))
          .or(() -> unclear(subject, tracked, Difference.MAY_STORE, access.possibleWrite()))
          .or(() -> unclear(subject, tracked, Difference.MAY_STORE, accesses.storedElsewhere()));
    }
    if (access.read().isPresent()) {
      return access
          .read()
          .map(
              site ->
                  Mismatch.at(
                      site,
                      subject,
                      Difference.LOADS,
                      annotation(mayStore ? Access.READ_WRITE : Access.READ)));
    }
    return mayStore || accesses.storedElsewhere().isPresent()
        ? unclear(
            subject,
            tracked,
            Difference.MAY_LOAD,
            access.possibleRead().or(accesses::loadedThroughNumbers))
        : Optional.of(Mismatch.of(subject, Difference.NEVER_STORES, ""));
  }

  /** Adds that the kernel follows addresses that it takes from an array, unless it is trusted. */
  private void addContent(
      KernelParameter.Tracked tracked, ParameterAccess access, Subject subject) {
    Optional<AccessSite> load = access.readThroughContent();
    Optional<AccessSite> store = access.writeThroughContent();
    String verbs =
        load.isPresent() && store.isPresent()
            ? "loads and stores"
            : load.isPresent() ? "loads" : "stores";
    store
        .or(() -> load)
        .filter(site -> !tracked.trusted())
        .map(site -> Mismatch.at(site, subject, Difference.CONTENT_ADDRESS, verbs))
        .ifPresent(mismatches::add);
  }

  private static Optional<Mismatch> unclear(
      Subject subject,
      KernelParameter.Tracked tracked,
      Difference kind,
      Optional<AccessSite> possible) {
    return possible
        .filter(site -> !tracked.trusted())
        .map(site -> Mismatch.at(site, subject, kind, ""));
  }
}
