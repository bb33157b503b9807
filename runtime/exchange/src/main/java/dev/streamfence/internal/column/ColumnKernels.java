package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;

/** The runtime's own kernels, of {@code columns.cu}. Each launch is ordered like a user's. */
final class ColumnKernels {
  static final KernelImage IMAGE =
      KernelImage.resource(
          "dev/streamfence/internal/column/columns.ptx",
          "e45105247aa632e3c5daef1703eb08bd810c8ab3879570075e87061d6fcb9bb8",
          ColumnKernels.class::getResourceAsStream);

  static final KernelSignature PACK =
      KernelSignature.entry("pack_flags")
          .reads("flags", boolean[].class)
          .value("rows", long.class)
          .writes("bits", byte[].class)
          .threads("bytes", long.class, 256)
          .analysed(Analysis.PACK);

  static final KernelSignature UNPACK =
      KernelSignature.entry("unpack_flags")
          .reads("bits", byte[].class)
          .value("first", int.class)
          .writes("flags", boolean[].class)
          .threads("rows", long.class, 256)
          .analysed(Analysis.UNPACK);

  static final KernelSignature COUNT =
      KernelSignature.entry("count_slice")
          .reads("rows", int[].class)
          .value("capacity", long.class)
          .value("from", long.class)
          .value("room", long.class)
          .writes("count", int[].class)
          .threads("n", int.class, 32)
          .analysed(Analysis.COUNT);

  private ColumnKernels() {}

  /** Packs flags into bits, the first into the lowest bit; the bits behind the last are 0. */
  static void pack(DeviceStream stream, ReadableArray<boolean[]> flags, DeviceArray<byte[]> bits) {
    try (LaunchRecorder launch = recorder(stream, PACK).begin()) {
      launch.array(flags).value(flags.length()).array(bits).threads(bits.length());
      launch.preflight().launch().commit();
    }
  }

  /** Unpacks bits, from bit {@code first} on. */
  static void unpack(
      DeviceStream stream, ReadableArray<byte[]> bits, int first, DeviceArray<boolean[]> flags) {
    try (LaunchRecorder launch = recorder(stream, UNPACK).begin()) {
      launch.array(bits).value(first).array(flags).threads(flags.length());
      launch.preflight().launch().commit();
    }
  }

  /**
   * Sets {@code count} to the rows from row {@code from} on, at most {@code room}; or to all rows,
   * if these are more than the capacity.
   */
  static void countSlice(
      DeviceStream stream,
      ReadableArray<int[]> rows,
      long capacity,
      long from,
      long room,
      DeviceArray<int[]> count) {
    try (LaunchRecorder launch = recorder(stream, COUNT).begin()) {
      launch.array(rows).value(capacity).value(from).value(room).array(count).threads(1);
      launch.preflight().launch().commit();
    }
  }

  private static LaunchRecorder recorder(DeviceStream stream, KernelSignature signature) {
    return LoadedModule.of(stream, IMAGE).recorder(signature);
  }

  /**
   * What the processor would write into a launcher of these kernels. ColumnKernelsTest fails with
   * the right text where one is not current.
   */
  private static final class Analysis {
    static final String PACK =
        "BgAABAIAEAYAEAISCEJBU0UQQVJHVU1FTlQOU1BFQ0lBTBZaRVJPX0VYVEVORBBNVUxUSVBMWQZB"
            + "REQaTEVTU19PUl9FUVVBTBBDT05TVEFOVBRTSElGVF9MRUZUAhxMQVNUX09GX0dVQVJEU2IAfgAA"
            + "CAJ+AAAAAH4CAAgCfgIAAAQ+BgAABD4MAAAGfgACCAAGfgACCgAIfgAEDA4ABD4AAAAGfgACEgAK"
            + "fgAEEBQADAAABAYWAA4+BgAAEH4ABBYaAAwAAAQCHAAKfgAEABwIDn4AAAAKfgAEICIIDn4CAAAK"
            + "fgAEHCYADAAABAIoAAp+AAQgJggOfgQAAAp+AAQcLgAMAAAEAjAACn4ABCAuCA5+BgAACn4ABBw2"
            + "AAwAAAQCOAAKfgAEIDYIDn4IAAAKfgAEHD4ADAAABAJAAAp+AAQgPggOfgoAAAp+AAQcRgAMAAAE"
            + "AkgACn4ABCBGCA5+DAAACn4ABBxOAAwAAAQCUAAKfgAEIE4IDn4OAAAKfgAEHFYADAAABAJYAAp+"
            + "AAQgVggKfgAEBBYICn4ABF4iCAASBAAEAgIGAQACAgIKAgIAAAAEAgICAQACEAIKAhAAAAQABAIC"
            + "BgEAAgICCgICAAAABAICAgMAAhACCgIQAAAEAAQCAgYBAAICAgoCAgAAAAQCAgIFAAIQAgoCEAAA"
            + "BAAEAgIGAQACAgIKAgIAAAAEAgICBwACEAIKAhAAAAQABAICBgEAAgICCgICAAAABAICAgkAAhAC"
            + "CgIQAAAEAAQCAgYBAAICAgoCAgAAAAQCAgILAAIQAgoCEAAABAAEAgIGAQACAgIKAgIAAAAEAgIC"
            + "DQACEAIKAhAAAAQABAICBgEAAgICCgICAAAABAICAg8AAhACCgIQAAACAAQCAgYBAAICAgoCAgAA"
            + "BBBgAAAEAAICBBgAHgAAJAACAHIAAAQAAgIEGAAqAAAsAgIAhgEAAAQAAgIEGAAyAAA0BAIAmgEA"
            + "AAQAAgIEGAA6AAA8BgIArgEAAAQAAgIEGABCAABECAIAwgEAAAQAAgIEGABKAABMCgIA1gEAAAQA"
            + "AgIEGABSAABUDAIA6gEAAAQAAgIEGABaAABcDgIAAvoBAAICAgICGAAAYBACAA";
    static final String UNPACK =
        "BgAABAIACAYAEAIWCEJBU0UQQVJHVU1FTlQOU1BFQ0lBTBZaRVJPX0VYVEVORBBNVUxUSVBMWQZB"
            + "REQaTEVTU19PUl9FUVVBTBZTSUdOX0VYVEVORBBDT05TVEFOVBZTSElGVF9SSUdIVChTSElGVF9S"
            + "SUdIVF9VTlNJR05FRAQcTEFTVF9PRl9HVUFSRFMKRklSU1Q2AH4AAAgCPgAAAAB+AgAIAn4CAAAE"
            + "PgYAAAQ+DAAABn4AAggABn4AAgoACH4ABAwOAAQ+AAAABn4AAhIACn4ABBAUAAwAAAQGFgAOfgAC"
            + "AgAKfgAEFhoAED5+AAASfgAEHB4AED56AAAUfgAEICIACn4ABBwkABA+BgAAEn4ABCYoAAp+AAQA"
            + "KggQfgAAAAp+AAQsLggKfgAEBBYICn4ABDIuCAACAgAEAgIGAQACAgIKAgIAAAQCzAIAAAQAAgIC"
            + "GAAAMAAEAAIC3gIAAgICAgIYAAA0AAIA";
    static final String COUNT =
        "BgAACAIAEAQAEAYAEAoACAIQCEJBU0UQQVJHVU1FTlQOU1BFQ0lBTBBNVUxUSVBMWQZBREQWWkVS"
            + "T19FWFRFTkQaTEVTU19PUl9FUVVBTBBDT05TVEFOVAIcTEFTVF9PRl9HVUFSRFMcAH4AAAgAfgIA"
            + "CAI+BgAABD4GAAAEPgwAAAQ+AAAABj4ABAYIAAg+AAQMCgAKfgACDgAKfgACBAAMAAAEEhAADn4A"
            + "AAAIfgAEABYICH4ABAIWCAACAgAEAgIEAQACAgIIAgIAAAQCpAMAAAIGCAIUAAAYAAIAArQDAAIC"
            + "BggCFAAAGgACAA";
  }
}
