package dev.streamfence.processor.verify;

import dev.streamfence.Access;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.ptx.KernelAccesses;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What the compiler sees of a module's code. Immutable. */
public sealed interface ModuleCode {
  /** More than any kernels need; larger files are not looked at. */
  int MAX_BYTES = 16 << 20;

  /** There is no such file where the compiler looks. */
  record Unseen() implements ModuleCode {}

  /**
   * A file whose kernels cannot be looked at.
   *
   * @param kind what it is, in words
   * @param sha256 its hash, empty for a file that is too large to be read
   */
  record Opaque(String kind, String sha256) implements ModuleCode {}

  /** A file that is no PTX, though it has no mark of anything else. */
  record Unreadable(String reason) implements ModuleCode {}

  /** PTX. */
  record Ptx(PtxModule module, String sha256) implements ModuleCode {}

  /** What is in a file: its bytes, or the first {@link #MAX_BYTES} and more of them. */
  static ModuleCode of(byte[] file) {
    if (file.length > MAX_BYTES) {
      return new Opaque("larger than " + (MAX_BYTES >> 20) + " MiB", "");
    }
    String sha256 = KernelImage.sha256(file);
    if (startsWith(file, 0x7f, 'E', 'L', 'F')) {
      return new Opaque("a binary", sha256);
    }
    if (startsWith(file, 0x50, 0xed)) {
      return new Opaque("a fat binary", sha256);
    }
    try {
      return new Ptx(PtxModule.parse(new String(file, StandardCharsets.UTF_8)), sha256);
    } catch (PtxException e) {
      return new Unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** The hash of a file whose kernels were compared with their interface; empty of any other. */
  default String comparedHash() {
    return this instanceof Ptx ptx ? ptx.sha256() : "";
  }

  /** What an entry certainly does to the memory behind a parameter, as an access. */
  default Optional<Access> access(String entry, int parameter) {
    if (!(this instanceof Ptx ptx)) {
      return Optional.empty();
    }
    return ptx.module()
        .entry(entry)
        .filter(found -> parameter < found.parameters().size())
        .flatMap(
            found ->
                switch (KernelAccesses.of(ptx.module(), found).parameter(parameter).verdict()) {
                  case READS -> Optional.of(Access.READ);
                  case WRITES -> Optional.of(Access.WRITE);
                  case READS_WRITES -> Optional.of(Access.READ_WRITE);
                  case NONE, UNKNOWN -> Optional.empty();
                });
  }

  private static boolean startsWith(byte[] file, int... mark) {
    for (int i = 0; i < mark.length; i++) {
      if (i >= file.length || (file[i] & 0xff) != mark[i]) {
        return false;
      }
    }
    return true;
  }
}
