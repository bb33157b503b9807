package dev.streamfence.processor.verify;

import dev.streamfence.Access;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.ptx.Cubin;
import dev.streamfence.ptx.KernelCheck;
import dev.streamfence.ptx.KernelDeclaration;
import dev.streamfence.ptx.Mismatch;
import dev.streamfence.ptx.ParameterAccess;
import dev.streamfence.ptx.PtxException;
import dev.streamfence.ptx.PtxModule;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What the compiler sees of a module's code. */
public sealed interface ModuleCode {
  /** More than any kernels need; larger files are not looked at. */
  int MAX_BYTES = KernelImage.MAX_BYTES;

  /** There is no such file where the compiler looks. */
  record Unseen() implements ModuleCode {}

  /**
   * A file whose kernels cannot be looked at.
   *
   * @param kind what it is, in words
   * @param cubin the sizes of its parameters, where they can be read
   */
  record Opaque(String kind, Optional<Cubin> cubin) implements ModuleCode {}

  /** A file that is no PTX, though it has no mark of anything else. */
  record Unreadable(String reason) implements ModuleCode {}

  /**
   * PTX.
   *
   * @param check compares its kernels; confined to the compiler's thread
   * @param source what it was compiled from, where that lies beside it
   */
  record Ptx(KernelCheck check, String sha256, Optional<CudaSource> source) implements ModuleCode {}

  /**
   * What is in a file: its bytes, or the first {@link #MAX_BYTES} and more of them.
   *
   * @param source gives what lies beside it
   */
  static ModuleCode of(byte[] file, Supplier<Optional<CudaSource>> source) {
    if (file.length > MAX_BYTES) {
      return new Opaque("larger than " + (MAX_BYTES >> 20) + " MiB", Optional.empty());
    }
    if (startsWith(file, 0x7f, 'E', 'L', 'F')) {
      return new Opaque("a binary", Cubin.read(file));
    }
    if (startsWith(file, 0x50, 0xed)) {
      return new Opaque("a fat binary", Optional.empty());
    }
    try {
      PtxModule module = PtxModule.parse(new String(file, StandardCharsets.UTF_8));
      return new Ptx(new KernelCheck(module), KernelImage.sha256(file), source.get());
    } catch (PtxException e) {
      return new Unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** The hash of a file whose kernels were compared with their interface; empty of any other. */
  default String comparedHash() {
    return this instanceof Ptx ptx ? ptx.sha256() : "";
  }

  /**
   * What an entry certainly does to the memory behind its parameters, as accesses; none at all
   * where the code is not seen, or takes other parameters.
   */
  default List<Optional<Access>> accesses(String entry, List<Boolean> areBuffers) {
    return this instanceof Ptx ptx
        ? ptx.check().verdicts(entry, areBuffers).stream().map(ModuleCode::access).toList()
        : List.of();
  }

  /** Where a kernel differs from its code, as far as that is seen. */
  default List<Mismatch> compare(KernelDeclaration declared) {
    if (this instanceof Ptx ptx) {
      return ptx.check().compare(declared);
    }
    Optional<Cubin> cubin =
        this instanceof Opaque opaque ? opaque.cubin() : Optional.<Cubin>empty();
    return cubin.map(binary -> binary.compare(declared)).orElseGet(List::of);
  }

  private static Optional<Access> access(ParameterAccess.Verdict verdict) {
    return switch (verdict) {
      case READS -> Optional.of(Access.READ);
      case WRITES -> Optional.of(Access.WRITE);
      case READS_WRITES -> Optional.of(Access.READ_WRITE);
      case NONE, UNKNOWN -> Optional.empty();
    };
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
