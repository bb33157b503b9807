package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the values that a launch passes. */
public interface ArgumentLookup {
  /**
   * Returns the value that a kernel loads from its parameters.
   *
   * @param bits the width of the load
   * @return a number or the address of an array, of that width; null if it is neither
   */
  @Nullable Node value(Variable parameter, long offset, int bits);

  /**
   * Returns the addresses of arrays in bytes of a kernel's parameter.
   *
   * @param bytes how many; 0 for all bytes of the parameter
   */
  List<Node> addresses(Variable parameter, long offset, int bytes);

  /**
   * Returns whether no number that the code loads from an address is negative.
   *
   * @param bytes the size of the number
   */
  default boolean isNatural(Node address, int bytes) {
    return false;
  }

  /** Returns the address of a variable; null if it is not followed, as none of them is here. */
  default @Nullable Node address(Variable variable, long offset, int bits) {
    return null;
  }

  /**
   * Returns the number of a thread in its block, whose last five bits are its lane; null if it is
   * not followed.
   */
  default @Nullable Node number() {
    return null;
  }
}
