package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.bounds.LaunchBounds;
import dev.streamfence.internal.ptx.bounds.LaunchBoundsReader;
import dev.streamfence.internal.ptx.bounds.LaunchBoundsWriter;
import dev.streamfence.internal.ptx.bounds.NumberReader;
import dev.streamfence.internal.ptx.bounds.NumberWriter;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What launches of a kernel need to know about its code. The compiler writes it into the launcher,
 * so that a program need not analyse the code again. It holds only for PTX with the hash in the
 * launcher, and for the signature that carries it. Immutable.
 *
 * @param requiredBlock the block that the code requires; null if it takes any
 * @param uses what the kernel does with each variable of the module that the interface declares
 * @param written which elements launches certainly touch, see {@link #bounds}
 */
public record KernelFacts(
    @Nullable BlockLimit requiredBlock,
    Map<String, VariableUse> uses,
    Supplier<LaunchBounds> written) {
  /**
   * Changes with the meaning of what is written, and whenever a mistake of the analysis is mended:
   * then the code is analysed again where an older compiler has written the launcher.
   */
  private static final int VERSION = 3;

  /** A constant of a class file has at most 65,535 bytes. */
  private static final int MAX_LENGTH = 60_000;

  public KernelFacts {
    uses = Map.copyOf(uses);
  }

  /** What the kernel may do with a variable: everything, if the interface did not declare it. */
  public VariableUse use(String variable) {
    return uses.getOrDefault(variable, new VariableUse(true, true));
  }

  /**
   * Which elements launches certainly touch. What the compiler has written is read here, since a
   * launcher has kernels that a program never launches.
   *
   * @throws IllegalArgumentException if the compiler has written something else
   */
  public LaunchBounds bounds() {
    return written.get();
  }

  /**
   * The facts as text for {@link #parse}; empty if it would be too long for a launcher, or if
   * launches need more than it has: those that require a proof of their bounds.
   */
  Optional<String> text(KernelSignature declared) {
    if (declared.requiresBounds()) {
      return Optional.empty();
    }
    NumberWriter out = new NumberWriter();
    out.add(VERSION);
    out.add(requiredBlock != null);
    if (requiredBlock != null) {
      out.add(requiredBlock.x());
      out.add(requiredBlock.y());
      out.add(requiredBlock.z());
    }
    out.add(uses.size());
    for (String name : new TreeSet<>(uses.keySet())) {
      VariableUse use = use(name);
      out.add(name);
      out.add(use.reads());
      out.add(use.writes());
    }
    LaunchBoundsWriter.write(bounds(), out);
    String text = Base64.getEncoder().withoutPadding().encodeToString(out.toBytes());
    return text.length() > MAX_LENGTH ? Optional.empty() : Optional.of(text);
  }

  /**
   * Reads the facts that a signature has from the compiler, without the bounds.
   *
   * @return empty if it has none, or if another version wrote them
   */
  public static Optional<KernelFacts> parse(KernelSignature declared) {
    String text = declared.analysis();
    if (text.isEmpty() || declared.requiresBounds()) {
      return Optional.empty();
    }
    try {
      NumberReader in = new NumberReader(Base64.getDecoder().decode(text));
      if (in.number() != VERSION) {
        return Optional.empty();
      }
      BlockLimit block =
          in.truth() ? new BlockLimit(in.integer(), in.integer(), in.integer(), true) : null;
      Map<String, VariableUse> uses = new HashMap<>();
      for (int i = in.count(); i > 0; i--) {
        uses.put(in.text(), new VariableUse(in.truth(), in.truth()));
      }
      return Optional.of(new KernelFacts(block, uses, () -> bounds(in.copy(), declared)));
    } catch (IllegalArgumentException e) {
      // A later version may write more than this one reads; the code itself says the same.
      return Optional.empty();
    }
  }

  private static LaunchBounds bounds(NumberReader in, KernelSignature declared) {
    LaunchBounds bounds = LaunchBoundsReader.read(in, DeclaredArrays.of(declared).places().size());
    in.end();
    bounds.arguments().forEach(place -> requireThere(place, declared));
    return bounds;
  }

  private static void requireThere(NumberPlace place, KernelSignature declared) {
    List<KernelParameter.Passed> passed = declared.passed();
    boolean isThere =
        place.parameter() >= 0
            && place.parameter() < passed.size()
            && place.offset() >= 0
            && place.bytes() >= Byte.BYTES
            && place.bytes() <= Long.BYTES
            && Integer.bitCount(place.bytes()) == 1
            && place.offset() <= passed.get(place.parameter()).sizeInBytes() - place.bytes();
    if (!isThere) {
      throw new IllegalArgumentException(place + " is no number among the parameters");
    }
  }
}
