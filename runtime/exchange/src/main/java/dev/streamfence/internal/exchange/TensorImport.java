package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ManagedTensor.Form;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A tensor that was taken over from its owner, until its deleter is called. Thread-safe.
 *
 * <p>A tensor can be taken over once, as its deleter can be called once.
 */
public final class TensorImport {
  // Static: any runtime of the process may be given the same tensor.
  private static final Set<Long> TAKEN = ConcurrentHashMap.newKeySet();

  private final ManagedTensor tensor;
  private final AtomicBoolean ended = new AtomicBoolean();

  private TensorImport(ManagedTensor tensor) {
    this.tensor = tensor;
  }

  /**
   * Takes a tensor over.
   *
   * @throws IllegalStateException if it is taken over already
   */
  public static TensorImport take(ManagedTensor tensor) {
    NativeAddress.load();
    TensorImport taken = new TensorImport(tensor);
    if (!TAKEN.add(tensor.address())) {
      throw new IllegalStateException(
          tensor
              + " has been adopted already; a tensor is adopted once, and its owner makes another one for"
              + " another use");
    }
    return taken;
  }

  /** Calls the deleter of a tensor that was not taken over, whatever its version. */
  public static void delete(long address, Form form) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(address, Long.BYTES, ManagedTensor.pointerTo(form));
    if (TAKEN.contains(address)) {
      throw new IllegalStateException(
          ManagedTensor.describe(address, form)
              + " has been adopted; its deleter runs when the array is closed");
    }
    long deleter = at.getLong(form.deleterAt());
    if (deleter != 0) {
      NativeAddress.call(deleter, address);
    }
  }

  /** The tensor. */
  public ManagedTensor tensor() {
    return tensor;
  }

  /** Calls the deleter, if the tensor has one. Does nothing if called again. */
  public void release() {
    if (end() && tensor.deleter() != 0) {
      NativeAddress.call(tensor.deleter(), tensor.address());
    }
  }

  /** Leaves the tensor to its owner again, as if it had not been taken over. */
  public void giveBack() {
    end();
  }

  private boolean end() {
    // The address is free before the deleter runs: its owner may use it for another tensor.
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    TAKEN.remove(tensor.address());
    return true;
  }
}
