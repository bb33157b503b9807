package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import org.jspecify.annotations.Nullable;

/** The kernels of {@code groups.cu}, which describes the hash table. */
@KernelModule("kernels/operators/groups.ptx")
interface GroupKernels {
  @Kernel("claim_groups")
  void claimGroups(
      Keys keys,
      @ReadWrites DeviceArray<int[]> owners,
      int mask,
      int skipsNulls,
      @Writes DeviceArray<int[]> representatives,
      @ThreadCount int n);

  @Kernel("find_groups")
  void findGroups(
      Keys probe,
      Keys build,
      @Reads DeviceArray<int[]> owners,
      int mask,
      @Writes DeviceArray<int[]> representatives,
      @ThreadCount int n);

  @Kernel("claim_texts")
  void claimTexts(
      Texts texts,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      @ReadWrites DeviceArray<int[]> owners,
      int mask,
      @Writes DeviceArray<long[]> representatives,
      @ThreadCount int n);

  @Kernel("find_texts")
  void findTexts(
      Texts probe,
      @Reads @Optional @Nullable ReadableArray<byte[]> known,
      Texts build,
      @Reads DeviceArray<int[]> owners,
      int mask,
      @Writes DeviceArray<long[]> representatives,
      @ThreadCount int n);

  @Kernel("mark_representatives")
  void markRepresentatives(
      @Reads DeviceArray<int[]> representatives,
      @Writes DeviceArray<int[]> marks,
      @ThreadCount int n);

  @Kernel("number_groups")
  void numberGroups(
      @Reads DeviceArray<int[]> representatives,
      @Reads DeviceArray<int[]> places,
      @Writes DeviceArray<int[]> groups,
      @ThreadCount int n);

  @Kernel("look_up_groups")
  void lookUpGroups(
      @Reads DeviceArray<int[]> representatives,
      @Reads DeviceArray<int[]> groupsOfBuild,
      @Writes DeviceArray<int[]> groups,
      @ThreadCount int n);

  @Kernel("mark_found")
  void markFound(
      @Reads DeviceArray<int[]> representatives,
      int withPartner,
      @Writes DeviceArray<int[]> marks,
      @ThreadCount int n);

  @Kernel("count_rows")
  void countRows(
      @Reads DeviceArray<int[]> groups, @ReadWrites DeviceArray<int[]> counts, @ThreadCount int n);

  @Kernel("collect_rows")
  void collectRows(
      @Reads DeviceArray<int[]> groups,
      @Reads DeviceArray<int[]> starts,
      @ReadWrites DeviceArray<int[]> used,
      @Trusted("a counter per group gives each of its rows a place of its own") @Writes
          DeviceArray<int[]> rows,
      @ThreadCount int n);

  @Kernel("count_pairs")
  void countPairs(
      @Reads DeviceArray<int[]> groups,
      @Reads DeviceArray<int[]> starts,
      int isOuter,
      @Writes DeviceArray<int[]> counts,
      @ReadWrites DeviceArray<long[]> total,
      @ThreadCount int n);

  @Kernel("write_pairs")
  void writePairs(
      @Reads DeviceArray<int[]> groups,
      @Reads DeviceArray<int[]> places,
      int rows,
      @Reads DeviceArray<int[]> starts,
      @Reads DeviceArray<int[]> rowsByGroup,
      @Writes DeviceArray<int[]> probeRows,
      @Writes DeviceArray<int[]> buildRows,
      @ThreadCount int pairs);
}
