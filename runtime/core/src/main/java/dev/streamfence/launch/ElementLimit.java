package dev.streamfence.launch;

import java.util.Objects;

/**
 * A limit of the numbers that a kernel loads from an array: none is greater than it. Immutable.
 *
 * @param parameter the name of an array, whose length is the limit, or of a whole number; for a
 *     field of a structure, another field of it is meant before a parameter
 * @param isBelow whether the numbers are less than that, and not equal to it
 */
public record ElementLimit(String parameter, boolean isBelow) {
  public ElementLimit {
    Objects.requireNonNull(parameter, "parameter");
  }

  /** The limit in words, for errors: {@code below 'x'}. */
  public String inWords() {
    return (isBelow ? "below '" : "at most '") + parameter + "'";
  }
}
