package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of an entry, divided into pieces of a pointer's width, each of which may hold a
 * pointer. The contents of a table of addresses count as a piece of their own, which lies in
 * memory; so does each variable of the module that is analysed as well.
 */
final class EntryParameters {
  /** One piece: its position in its parameter, and its origin. */
  private record Piece(int parameter, Variable variable, long offset, int width, int origin) {}

  private final List<Piece> pieces = new ArrayList<>();
  private final List<NavigableMap<Long, Integer>> byParameter = new ArrayList<>();

  /** The index of each table's contents by the index of the table. */
  private final Map<Integer, Integer> contents = new HashMap<>();

  /** The origin of the address of each variable by its name. */
  private final Map<String, Integer> variables = new LinkedHashMap<>();

  private boolean tooMany;

  EntryParameters(
      PtxEntry entry, int pointerBytes, ParameterRoles roles, List<String> variableNames) {
    List<PtxFunction.Formal> formals = entry.function().parameters();
    for (int i = 0; i < formals.size(); i++) {
      PtxParameter parameter = entry.parameters().get(i);
      Variable variable = ((PtxFunction.Formal.InMemory) formals.get(i)).variable();
      NavigableMap<Long, Integer> indexes = new TreeMap<>();
      long size = variable.sizeInBytes();
      for (long at = 0; at < size; at += pointerBytes) {
        tooMany |= pieces.size() >= CodeLimits.PARAMETER_PIECES;
        if (tooMany && at > 0) {
          // One piece per parameter is enough for the verdict that nothing is known.
          break;
        }
        int width = (int) Math.min(pointerBytes, size - at);
        boolean number = parameter.kind() == PtxParameter.ParameterKind.FLOAT;
        ParameterRole role = number ? ParameterRole.NUMBER : roles.role(i, (int) at);
        int index = pieces.size();
        int origin = width < pointerBytes ? Origin.narrow(index) : Origin.parameter(index, role);
        indexes.put(at, index);
        pieces.add(new Piece(i, variable, at, width, origin));
      }
      byParameter.add(indexes);
    }
    int tables = pieces.size();
    for (int i = 0; i < tables; i++) {
      if (Origin.isTable(pieces.get(i).origin())) {
        contents.put(i, tables + contents.size());
      }
    }
    for (String name : variableNames) {
      variables.put(name, Origin.parameter(size(), ParameterRole.BUFFER));
    }
  }

  /** Returns the number of pieces, the contents of tables and the variables included. */
  int size() {
    return pieces.size() + contents.size() + variables.size();
  }

  /** Returns whether variables of the module are analysed as well. */
  boolean hasVariables() {
    return !variables.isEmpty();
  }

  /** Returns the origin of the address of a variable; null if it is not analysed. */
  @Nullable Integer variable(String name) {
    return variables.get(name);
  }

  /** Returns the index of the contents of the table with this index; negative if it is no table. */
  int contents(int table) {
    return contents.getOrDefault(table, -1);
  }

  /** Returns whether there are more pieces than the analysis tells apart. */
  boolean isTooMany() {
    return tooMany;
  }

  boolean isContents(int index) {
    return index >= pieces.size() && index < pieces.size() + contents.size();
  }

  /** Returns the indexes of a parameter's pieces by their offset. */
  NavigableMap<Long, Integer> of(int parameter) {
    return byParameter.get(parameter);
  }

  /** Returns the position of what has an index; that of a variable is negative. */
  AccessChoice.Member member(int index) {
    if (!isContents(index)) {
      return index < pieces.size()
          ? new AccessChoice.Member(
              pieces.get(index).parameter(), (int) pieces.get(index).offset(), false)
          : new AccessChoice.Member(-1, 0, false);
    }
    for (Map.Entry<Integer, Integer> table : contents.entrySet()) {
      if (table.getValue() == index) {
        AccessChoice.Member itself = member(table.getKey());
        return new AccessChoice.Member(itself.parameter(), itself.offset(), true);
      }
    }
    throw new IllegalArgumentException("no table has the contents " + index);
  }

  /** Returns the name of a piece for messages. */
  String describe(int index) {
    if (index >= pieces.size() + contents.size()) {
      return variables.entrySet().stream()
          .filter(variable -> Origin.index(variable.getValue()) == index)
          .map(variable -> "variable '" + variable.getKey() + "'")
          .findFirst()
          .orElseThrow();
    }
    if (index >= pieces.size()) {
      return contents.entrySet().stream()
          .filter(table -> table.getValue() == index)
          .map(table -> "the table in " + describe(table.getKey()))
          .findFirst()
          .orElseThrow();
    }
    Piece piece = pieces.get(index);
    String parameter = "parameter " + (piece.parameter() + 1);
    return of(piece.parameter()).size() > 1
        ? "the field at offset " + piece.offset() + " of " + parameter
        : parameter;
  }

  /** Finds the object of a variable. */
  @FunctionalInterface
  interface ObjectLookup {
    MemoryObject of(Variable variable);
  }

  /** Stores the parameters in the variables from which the entry loads them. */
  void store(ObjectLookup objects) {
    for (Piece piece : pieces) {
      Provenance value = Provenance.of(Derivation.of(piece.origin()));
      objects.of(piece.variable()).store(piece.offset(), piece.width(), value);
    }
  }
}
