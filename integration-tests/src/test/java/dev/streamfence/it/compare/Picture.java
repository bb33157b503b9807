package dev.streamfence.it.compare;

import static java.util.Locale.ROOT;

import dev.streamfence.it.compare.Report.Measured;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * Draws the ratios of a report to C++'s times, with their quartiles, into a PNG file. Needs AWT.
 * Rows that C++ does not measure are not in the picture.
 */
final class Picture {
  private static final int WIDTH = 1400;
  private static final int HEIGHT = 800;

  private Picture() {}

  /**
   * Draws a file.
   *
   * @param arguments the JSON file of a run, and the PNG file
   */
  public static void main(String[] arguments) throws IOException {
    System.setProperty("java.awt.headless", "true");
    draw(Report.read(Path.of(arguments[0])), Path.of(arguments[1]));
  }

  static void draw(Report report, Path file) throws IOException {
    List<Measured> rows = report.rows().stream().filter(row -> !row.overCpp().isEmpty()).toList();
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("no row has a ratio to C++; nothing to draw");
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(report.machine().describe())
            .yAxisTitle("time as a multiple of C++'s")
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
    chart.getStyler().setXAxisLabelRotation(90).setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(LegendLayout.Horizontal);
    // The library's own logarithmic axis refuses rows that an opponent has not measured.
    chart.setCustomYAxisTickLabelsFormatter(y -> String.format(ROOT, "%.2f", Math.pow(10, y)));
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> names.addAll(row.overCpp().keySet()));
    List<String> ids = rows.stream().map(Measured::id).toList();
    for (String name : names) {
      List<Double> medians = new ArrayList<>();
      List<Double> errors = new ArrayList<>();
      for (Measured row : rows) {
        Figures ratio = row.overCpp().get(name);
        // The time of a launch is the inverse of their rate.
        int sign = row.unit() == Unit.PER_SECOND ? -1 : 1;
        medians.add(ratio == null ? Double.NaN : sign * Math.log10(ratio.median()));
        errors.add(
            ratio == null ? 0 : Math.log10(ratio.upperQuartile() / ratio.lowerQuartile()) / 2);
      }
      chart.addSeries(name, ids, medians, errors);
    }
    // Without the ending, which the encoder adds.
    BitmapEncoder.saveBitmap(chart, file.toString().replaceFirst("\\.png$", ""), BitmapFormat.PNG);
  }
}
