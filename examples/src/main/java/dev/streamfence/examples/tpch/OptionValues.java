package dev.streamfence.examples.tpch;

import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters for the command line's values; each refuses values that the job cannot use. */
public final class OptionValues {
  private OptionValues() {}

  /** A scale factor. */
  public static final class Scale implements ITypeConverter<Double> {
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

  /** A number of streams or threads; no machine can make use of more. */
  public static final class Count implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return wholeNumber(text, 1, 64);
    }
  }

  /** A number of repeats; more would only take longer. */
  public static final class Repeats implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return wholeNumber(text, 0, 10_000);
    }
  }

  private static int wholeNumber(String text, int least, int most) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, like a number out of range.
    }
    throw new TypeConversionException(
        "'" + text + "' is not a whole number from " + least + " to " + most);
  }

  /** A device, in lower or upper case. */
  public static final class Device implements ITypeConverter<DeviceChoice> {
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
