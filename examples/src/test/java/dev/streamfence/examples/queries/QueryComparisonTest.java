package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.tpch.DeviceChoice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryComparisonTest {
  private static final DataOptions SMALL = DataOptions.atScale(0.001);
  private static final Query Q6 = new RevenueForecast();

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Test
  void anAnswerThatAgreesStandsBesideItsTimes() {
    QueryAnswer answer = PlainJava.answerOf(Q6, TableGenerator.generate(SMALL, 1));
    ComparisonReport report = comparison(answer);
    assertThat(report.agrees()).isTrue();
    assertThat(report.text())
        .startsWith("TPC-H at scale 0.001 on ")
        .contains("with 1 threads")
        .containsPattern("Q6 +\\| +1 \\|.*\\| yes ")
        .contains("Upload of all tables: ");
  }

  @Test
  void anAnswerThatDiffersIsToldInWords() {
    ComparisonReport report =
        comparison(new QueryAnswer(Q6.shape(), List.of(Arrays.asList((Object) null))));
    assertThat(report.agrees()).isFalse();
    assertThat(report.text())
        .containsPattern("Q6 .*\\| no ")
        .containsPattern("Q6: row 0, column revenue: null instead of [0-9]+");
  }

  private static ComparisonReport comparison(QueryAnswer onDevice) {
    Query query =
        new Query() {
          @Override
          public String name() {
            return Q6.name();
          }

          @Override
          public String sql() {
            return Q6.sql();
          }

          @Override
          public AnswerShape shape() {
            return Q6.shape();
          }

          @Override
          public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
            throw new AssertionError("the answer is given");
          }

          @Override
          public QueryAnswer run(DeviceStream stream, DeviceTables tables) {
            return onDevice;
          }
        };
    return new ComparisonJob(List.of(query), 2, 1, phase -> {}).run(DeviceChoice.SIMULATED, SMALL);
  }

  @Test
  void mistakesOnTheCommandLineAreNamed() {
    assertThat(run("--queries", "Q1,Q2")).isEqualTo(2);
    assertThat(printed()).startsWith("'Q2' is not one of Q1, Q3, Q5, Q6, Q9, Q12, Q18");
    assertThat(run("--nulls", "2")).isEqualTo(2);
    assertThat(printed()).startsWith("--nulls or --skew: share 2.0 is not from 0 to 1");
    assertThat(run("--threads", "0")).isEqualTo(2);
    assertThat(printed()).contains("'0' is not a whole number from 1 to 64");
  }

  private int run(String... arguments) {
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return QueryComparison.run(stream, stream, arguments);
  }

  private String printed() {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }
}
