package dev.streamfence.internal.ptx.ir;

import java.util.Arrays;

/**
 * Maps an instruction and a register to a slot other than the register's own. It has about as many
 * entries as there are instructions, and therefore no object per entry. Confined to one thread
 * while it is filled.
 */
final class SlotMap {
  private static final long FREE = -1;

  private long[] keys = free(16);
  private int[] slots = new int[16];
  private int size;

  private static long[] free(int capacity) {
    long[] keys = new long[capacity];
    Arrays.fill(keys, FREE);
    return keys;
  }

  void put(int instruction, int register, int slot) {
    if (2 * size >= keys.length) {
      grow();
    }
    long key = key(instruction, register);
    int place = place(key);
    size += keys[place] == FREE ? 1 : 0;
    keys[place] = key;
    slots[place] = slot;
  }

  /** Returns the slot, or the register itself if there is no entry. */
  int get(int instruction, int register) {
    int place = place(key(instruction, register));
    return keys[place] == FREE ? register : slots[place];
  }

  private static long key(int instruction, int register) {
    return (long) instruction << 32 | register;
  }

  /** Returns the index of a key, or of the free place for it. */
  private int place(long key) {
    long mixed = key * 0x9E37_79B9_7F4A_7C15L;
    int place = (int) (mixed >>> 32) & keys.length - 1;
    while (keys[place] != FREE && keys[place] != key) {
      place = place + 1 & keys.length - 1;
    }
    return place;
  }

  private void grow() {
    long[] oldKeys = keys;
    int[] oldSlots = slots;
    keys = free(2 * oldKeys.length);
    slots = new int[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != FREE) {
        int place = place(oldKeys[i]);
        keys[place] = oldKeys[i];
        slots[place] = oldSlots[i];
      }
    }
  }
}
