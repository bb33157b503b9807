package dev.streamfence.processor.model;

import java.util.regex.Pattern;

/**
 * The name of a kernel's entry point in its module. Invariant: a letter, {@code _} or {@code $},
 * then also digits, all ASCII, at most {@value #MAX_LENGTH} characters. Immutable.
 */
public record EntryName(String value) {
  /** No compiler of device code makes longer names, and a generated class can hold this length. */
  public static final int MAX_LENGTH = 1024;

  private static final Pattern LEGAL = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");

  public EntryName {
    if (!isLegal(value)) {
      throw new IllegalArgumentException(value + " is no entry name");
    }
  }

  /** Whether {@code value} can be an entry point's name. */
  public static boolean isLegal(String value) {
    return value.length() <= MAX_LENGTH && LEGAL.matcher(value).matches();
  }
}
