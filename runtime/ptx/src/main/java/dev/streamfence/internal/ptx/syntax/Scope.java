package dev.streamfence.internal.ptx.syntax;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The names declared between one pair of braces, and access to those of the enclosing scopes. */
final class Scope {
  private final @Nullable Scope parent;
  private final ModelSize model;
  private final int depth;
  private final Map<String, Register> registers = new HashMap<>();
  private final Map<String, Family> families = new HashMap<>();
  private final Map<String, Variable> variables = new HashMap<>();
  private final Map<String, Label> labels = new LinkedHashMap<>();

  /** Registers declared together, as in {@code %r<5>}; each is created at its first use. */
  private record Family(ScalarType type, int vectorLength, long count) {}

  private Scope(@Nullable Scope parent, ModelSize model) {
    this.parent = parent;
    this.model = model;
    this.depth = parent == null ? 0 : parent.depth + 1;
  }

  /** Creates the outermost scope. */
  Scope(ModelSize model) {
    this(null, model);
  }

  Scope(Scope parent) {
    this(parent, parent.model);
  }

  int depth() {
    return depth;
  }

  /** Returns the scope around this one. */
  Scope enclosing() {
    if (parent == null) {
      throw new IllegalStateException("the module's scope has none around it");
    }
    return parent;
  }

  boolean declares(String name) {
    return registers.containsKey(name) || variables.containsKey(name);
  }

  void add(Register register) {
    registers.put(register.name(), register);
  }

  void add(Variable variable) {
    variables.put(variable.name(), variable);
  }

  void addFamily(String prefix, ScalarType type, int vectorLength, long count) {
    families.put(prefix, new Family(type, vectorLength, count));
  }

  boolean hasFamily(String prefix) {
    return families.containsKey(prefix);
  }

  Optional<Variable> variable(String name) {
    for (Scope scope = this; scope != null; scope = scope.parent) {
      if (scope.registers.containsKey(name)) {
        return Optional.empty();
      }
      Variable found = scope.variables.get(name);
      if (found != null) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  /**
   * Finds a register.
   *
   * @param registerFile assigns the index of a register at its first use
   */
  Optional<Register> register(String name, RegisterFile registerFile) {
    for (Scope scope = this; scope != null; scope = scope.parent) {
      Register found = scope.registers.get(name);
      if (found == null) {
        found = scope.familyMember(name, registerFile);
      }
      if (found != null) {
        return Optional.of(found);
      }
      if (scope.variables.containsKey(name)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private @Nullable Register familyMember(String name, RegisterFile registerFile) {
    if (families.isEmpty()) {
      return null;
    }
    long number = 0;
    long weight = 1;
    // Nine digits exceed any register file, and keep the number in range.
    int last = Math.max(1, name.length() - 9);
    for (int i = name.length() - 1; i >= last; i--) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return null;
      }
      number += digit * weight;
      weight *= 10;
      boolean leadingZero = digit == 0 && i < name.length() - 1;
      Family family = leadingZero ? null : families.get(name.substring(0, i));
      if (family != null && number < family.count) {
        Register register = registerFile.create(name, family.type, family.vectorLength);
        registers.put(name, register);
        return register;
      }
    }
    return null;
  }

  /** Returns the label of this name in this scope, which need not be defined yet. */
  Label label(String name, int line) {
    return labels.computeIfAbsent(
        name,
        n -> {
          model.add(ModelSize.LABEL);
          return new Label(n, line);
        });
  }

  /** Passes labels that were used but not defined here to the enclosing scope. */
  void close() {
    if (parent == null) {
      return;
    }
    for (Label label : labels.values()) {
      if (!label.isDefinedHere()) {
        label.delegateTo(parent.label(label.name(), label.line()));
      }
    }
  }

  /** Assigns the indexes of one function's register file. */
  static final class RegisterFile {
    private final ModelSize model;
    private int size;

    RegisterFile(ModelSize model) {
      this.model = model;
    }

    Register create(String name, ScalarType type, int vectorLength) {
      model.add(ModelSize.REGISTER);
      Register register = new Register(name, type, vectorLength, size);
      size += vectorLength;
      return register;
    }

    int size() {
      return size;
    }
  }
}
