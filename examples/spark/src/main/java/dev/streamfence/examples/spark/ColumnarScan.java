package dev.streamfence.examples.spark;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The part of a query that Spark computes in batches of columns, such as the scan of Parquet files
 * by its vectorised reader.
 *
 * @param schema the columns of a batch, whose order need not be that of the query
 * @param batches a batch is valid until the next one is asked for
 */
record ColumnarScan(StructType schema, JavaRDD<ColumnarBatch> batches) {
  /**
   * Takes the batches of a query, before Spark makes rows of them.
   *
   * @throws IllegalArgumentException if Spark does anything else with the batches
   */
  static ColumnarScan of(Dataset<Row> query) {
    SparkPlan whole = query.queryExecution().executedPlan();
    SparkPlan plan = whole;
    while (!plan.supportsColumnar()) {
      if (!keepsColumns(plan)) {
        throw new IllegalArgumentException(
            "Spark computes %s row by row; select columns of files as they are:%n%s"
                .formatted(plan.nodeName(), whole));
      }
      plan = plan.children().head();
    }
    return new ColumnarScan(plan.schema(), plan.executeColumnar().toJavaRDD());
  }

  /** Whether a step makes rows of batches, and at most leaves columns out or orders them. */
  private static boolean keepsColumns(SparkPlan step) {
    if (step instanceof ProjectExec project) {
      return CollectionConverters.asJava(project.projectList()).stream()
          .allMatch(AttributeReference.class::isInstance);
    }
    return step instanceof ColumnarToRowExec || step instanceof WholeStageCodegenExec;
  }
}
