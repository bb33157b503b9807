package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An array on a device that was built for another library. Immutable. */
public final class ArrayExport {
  private final DeviceArrayNode array;
  private final Object source;

  private ArrayExport(DeviceArrayNode array, Object source) {
    this.array = array;
    this.source = source;
  }

  /**
   * Builds an array. Its user releases it.
   *
   * @param target the address of an {@code ArrowDeviceArray}, which is overwritten
   * @param source what the memory belongs to; kept until the end
   * @param released is called once, when the last structure of the array is released, by the thread
   *     that releases it, which it must not block
   */
  public static void write(DeviceArrayNode array, long target, Object source, Runnable released) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(target, Long.BYTES, "the pointer to an ArrowDeviceArray");
    SharedRelease lease = new SharedRelease(new ArrayExport(array, source), released);
    at.clear(OfDeviceArray.BYTES);
    at.setLong(OfDeviceArray.DEVICE_ID, array.device().id());
    at.setInt(OfDeviceArray.DEVICE_TYPE, array.device().type());
    Pointer event = write(array.array(), at, lease, array.event());
    at.setPointer(OfDeviceArray.SYNC_EVENT, array.event() == 0 ? null : event);
    lease.complete();
  }

  /** Builds one structure; returns where its event lies, to which the device array points. */
  private static Pointer write(ArrayNode array, Pointer target, SharedRelease lease, long event) {
    List<ArrayNode> children = array.children();
    ArrayNode dictionary = array.dictionary();
    List<Long> buffers = array.buffers();
    ArrowExport export =
        new ArrowExport(
            ReleasableKind.ARRAY,
            lease,
            children.size(),
            dictionary != null,
            (buffers.size() + 1L) * Long.BYTES);
    try {
      for (int i = 0; i < children.size(); i++) {
        write(children.get(i), export.child(i), lease, 0);
      }
      if (dictionary != null) {
        write(dictionary, export.dictionary(), lease, 0);
      }
      Pointer at = export.rest();
      at.setLong(0, event);
      Pointer addresses = at.share(Long.BYTES);
      for (int i = 0; i < buffers.size(); i++) {
        addresses.setLong((long) i * Long.BYTES, buffers.get(i));
      }
      target.setLong(OfArray.LENGTH, array.length());
      target.setLong(OfArray.NULL_COUNT, array.nullCount());
      target.setLong(OfArray.OFFSET, array.offset());
      target.setLong(OfArray.BUFFER_COUNT, buffers.size());
      target.setPointer(OfArray.BUFFERS, addresses);
      export.attach(target);
      return at;
    } catch (RuntimeException | Error e) {
      export.end();
      throw e;
    }
  }

  /**
   * The export that an array is; null if another library built it.
   *
   * @param read what was read there
   * @throws IllegalArgumentException if it is ours, but no longer describes what was exported
   */
  public static @Nullable ArrayExport of(long address, DeviceArrayNode read) {
    ArrowExport export = ArrowExport.of(ReleasableKind.ARRAY, new Pointer(address));
    if (export == null || !(export.lease().owner() instanceof ArrayExport own)) {
      return null;
    }
    String what = "the array at " + NativeAddress.hex(address);
    require(what, "the device", read.device(), own.array.device());
    require(what, "the event", read.event(), own.array.event());
    require(what, read.array(), own.array.array());
    return own;
  }

  private static void require(String what, ArrayNode now, ArrayNode then) {
    require(what, "the length", now.length(), then.length());
    require(what, "the number of nulls", now.nullCount(), then.nullCount());
    require(what, "the offset", now.offset(), then.offset());
    require(what, "buffers at", hex(now.buffers()), hex(then.buffers()));
    require(what, "the number of children", now.children().size(), then.children().size());
    for (int i = 0; i < now.children().size(); i++) {
      require("child " + i + " of " + what, now.children().get(i), then.children().get(i));
    }
    ArrayNode dictionaryNow = now.dictionary();
    ArrayNode dictionaryThen = then.dictionary();
    if (dictionaryNow != null && dictionaryThen != null) {
      require("the dictionary of " + what, dictionaryNow, dictionaryThen);
    } else {
      require(what, "a dictionary", dictionaryNow != null, dictionaryThen != null);
    }
  }

  private static void require(String what, String field, Object now, Object then) {
    if (!now.equals(then)) {
      throw new IllegalArgumentException(
          what + " has " + field + " " + now + "; it was exported with " + then);
    }
  }

  private static List<String> hex(List<Long> addresses) {
    return addresses.stream().map(NativeAddress::hex).toList();
  }

  /** What its memory belongs to. */
  public Object source() {
    return source;
  }
}
