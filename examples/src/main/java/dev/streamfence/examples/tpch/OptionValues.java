package dev.streamfence.examples.tpch;

import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for the command line's values; each refuses values that the job cannot use. */
final class OptionValues {
  private OptionValues() {}

  /** A scale factor. */
  static final class Scale implements ITypeConverter<Double> {
    /** Below this scale, TPC-H's rules leave some tables without rows. */
    private static final double LEAST = 0.001;

    /** Above this scale, a column may no longer fit into one Java array. */
    private static final double MOST = 100;

    @Override
    public Double convert(String text) {
      double scale = parse(text);
      if (!(scale >= LEAST && scale <= MOST)) {
        throw new TypeConversionException("'" + text + "' is not a number from 0.001 to 100");
      }
      return scale;
    }

    private static double parse(String text) {
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException e) {
        return Double.NaN;
      }
    }
  }

  /** A number of streams or threads. */
  static final class Count implements ITypeConverter<Integer> {
    /** More than any machine can make use of. */
    private static final int MOST = 64;

    @Override
    public Integer convert(String text) {
      int count = parse(text);
      if (count < 1 || count > MOST) {
        throw new TypeConversionException("'" + text + "' is not a whole number from 1 to " + MOST);
      }
      return count;
    }

    private static int parse(String text) {
      try {
        return Integer.parseInt(text);
      } catch (NumberFormatException e) {
        return 0;
      }
    }
  }

  /** A device, in lower or upper case. */
  static final class Device implements ITypeConverter<DeviceChoice> {
    @Override
    public DeviceChoice convert(String text) {
      return Arrays.stream(DeviceChoice.values())
          .filter(choice -> choice.name().equals(text.toUpperCase(Locale.ROOT)))
          .findFirst()
          .orElseThrow(
              () -> new TypeConversionException("'" + text + "' is not auto, gpu or simulated"));
    }
  }
}
