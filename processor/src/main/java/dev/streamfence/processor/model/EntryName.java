package dev.streamfence.processor.model;

import java.util.regex.Pattern;

/**
 * The rule for the name of a kernel's entry point: a letter, {@code _} or {@code $}, then also
 * digits, all ASCII, at most {@value #MAX_LENGTH} characters. Stateless.
 */
public final class EntryName {
  /** No compiler of device code makes longer names, and a generated class can hold this length. */
  public static final int MAX_LENGTH = 1024;

  private static final Pattern LEGAL = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");

  private EntryName() {}

  /** Whether {@code value} can be an entry point's name. */
  public static boolean isLegal(String value) {
    return value.length() <= MAX_LENGTH && LEGAL.matcher(value).matches();
  }
}
