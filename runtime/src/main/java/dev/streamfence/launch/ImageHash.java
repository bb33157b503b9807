package dev.streamfence.launch;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What tells one file from another: SHA-256, in hexadecimal digits. Stateless. */
final class ImageHash {
  private ImageHash() {}

  static String of(byte[] image) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(image));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
