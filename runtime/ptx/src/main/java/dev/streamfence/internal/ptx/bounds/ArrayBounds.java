package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which elements of one array a kernel touches, as far as its code shows it. Immutable. */
public final class ArrayBounds {
  private final ArrayPlace place;
  private final @Nullable Instruction unclear;
  private final String reason;

  ArrayBounds(ArrayPlace place, @Nullable Instruction unclear, String reason) {
    this.place = place;
    this.unclear = unclear;
    this.reason = reason;
  }

  /** Where the kernel receives the array. */
  public ArrayPlace place() {
    return place;
  }

  /** Whether the farthest element that the kernel may touch is known before each launch. */
  public boolean isLimited() {
    return reason.isEmpty();
  }

  /** Why that is unknown; empty if it is known. */
  public String reason() {
    return reason;
  }

  /** The first instruction for which it is unknown, if one is the cause. */
  public Optional<Instruction> unclear() {
    return Optional.ofNullable(unclear);
  }
}
