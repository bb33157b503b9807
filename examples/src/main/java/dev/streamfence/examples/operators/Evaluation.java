package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Computes expressions over the rows of a table, with a launch for each of their parts. It does not
 * wait for the device. Confined to one thread.
 */
final class Evaluation {
  /** The functions of one operand, as {@code expressions.cu} numbers them. */
  private static final int NOT = 0;

  private static final int YEAR = 1;
  private static final int TO_DOUBLE = 2;
  private static final int TOGGLE = 3;

  /** See {@link KeyColumns}. */
  static final int UNIFY = 4;

  private final DeviceStream stream;
  private final DeviceTable table;
  private final int rows;
  private final Temporaries temporaries;
  private final ColumnValues columns;
  private final ExpressionKernels kernels;

  /**
   * Expressions over one table.
   *
   * @param temporaries owns the values
   */
  Evaluation(DeviceStream stream, DeviceTable table, Temporaries temporaries) {
    this(stream, table, Rows.of(stream, table), temporaries);
  }

  private Evaluation(DeviceStream stream, DeviceTable table, int rows, Temporaries temporaries) {
    this.stream = stream;
    this.table = table;
    this.rows = rows;
    this.temporaries = temporaries;
    this.columns = new ColumnValues(stream, temporaries, rows);
    this.kernels = ExpressionKernelsLauncher.on(stream);
  }

  /** The same for values that have another number of rows, such as the results of groups. */
  Evaluation ofRows(int count) {
    return new Evaluation(stream, table, count, temporaries);
  }

  /** The quotient of two vectors, as doubles. */
  Value quotient(Value dividend, Value divisor) {
    return combined(Operation.DIVIDE, doubles(dividend), doubles(divisor), ColumnType.FLOAT64);
  }

  /** How many rows there are. */
  int rows() {
    return rows;
  }

  /**
   * A condition for each row.
   *
   * @throws IllegalArgumentException if the expression is none
   */
  Value condition(Expression expression) {
    return requireCondition(of(expression), "the expression");
  }

  /** The value of an expression, as a vector also where it is constant. */
  Value of(Expression expression) {
    return vector(value(expression));
  }

  /** Replaces doubles by integers in the same order, and those by doubles again. */
  Value toggled(Value doubles) {
    return mapped(TOGGLE, doubles, doubles.type(), 1);
  }

  /** Its parts are freed at once, so that an expression holds no more than its depth asks for. */
  private Value value(Expression expression) {
    int mark = temporaries.count();
    Value value = computed(expression);
    temporaries.closeSince(mark, value.numbers(), value.known());
    return value;
  }

  private Value computed(Expression expression) {
    if (expression instanceof Expression.Column column) {
      return columns.numbers(table.column(column.name()));
    }
    if (expression instanceof Expression.Constant constant) {
      return Value.constant(constant.type(), constant.bits());
    }
    if (expression instanceof Expression.Binary binary) {
      return binary(binary);
    }
    if (expression instanceof Expression.Not not) {
      Value condition = requireCondition(of(not.condition()), "the operand of not");
      return mapped(NOT, condition, ColumnType.BOOL8, 1);
    }
    if (expression instanceof Expression.IsNull test) {
      DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
      kernels.isNull(knownOf(test.operand()), numbers, rows);
      return Value.of(ColumnType.BOOL8, numbers, null);
    }
    if (expression instanceof Expression.Year year) {
      Value date = of(year.date());
      if (!date.isDate()) {
        throw new IllegalArgumentException("year() takes a date, not " + date.type());
      }
      return mapped(YEAR, date, ColumnType.INT64, 1);
    }
    if (expression instanceof Expression.Choice choice) {
      return choice(choice);
    }
    return text((Expression.Text) expression);
  }

  /** A byte per row that is 0 where an expression is null, or null if it never is. */
  @Nullable ReadableArray<byte[]> knownOf(Expression operand) {
    if (operand instanceof Expression.Column column) {
      return columns.known(table.column(column.name()));
    }
    return value(operand).known();
  }

  private Value binary(Expression.Binary expression) {
    Operation operation = expression.operation();
    Value left = value(expression.left());
    Value right = value(expression.right());
    if (operation.joinsConditions()) {
      requireCondition(left, "the left operand of " + operation);
      requireCondition(right, "the right operand of " + operation);
      return combined(operation, left, right, ColumnType.BOOL8);
    }
    ColumnType type = Types.of(operation, left, right);
    if (left.isFloating() || right.isFloating() || operation == Operation.DIVIDE) {
      return combined(operation, doubles(left), doubles(right), type);
    }
    if (operation == Operation.MULTIPLY) {
      return combined(operation, left, right, type);
    }
    int scale = Math.max(left.scale(), right.scale());
    return combined(operation, scaled(left, scale), scaled(right, scale), type);
  }

  private Value combined(Operation operation, Value left, Value right, ColumnType type) {
    Value a = left.numbers() == null && right.numbers() == null ? vector(left) : left;
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    DeviceArray<byte[]> known =
        a.known() == null && right.known() == null ? null : temporaries.array(byte[].class, rows);
    kernels.combine(
        operation.code(),
        a.isFloating() ? 1 : 0,
        a.vector(),
        right.vector(),
        a.numbers() == null ? a.constant() : right.constant(),
        numbers,
        known,
        rows);
    return Value.of(type, numbers, known);
  }

  private Value choice(Expression.Choice choice) {
    Value condition = requireCondition(of(choice.condition()), "the condition of a choice");
    Value then = value(choice.then());
    Value otherwise = value(choice.otherwise());
    ColumnType type = Types.ofChoice(then, otherwise);
    if (type.equals(ColumnType.FLOAT64)) {
      then = doubles(then);
      otherwise = doubles(otherwise);
    } else {
      int scale = Math.max(then.scale(), otherwise.scale());
      then = scaled(then, scale);
      otherwise = scaled(otherwise, scale);
    }
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    DeviceArray<byte[]> known = temporaries.array(byte[].class, rows);
    kernels.choose(
        condition.vector(),
        then.vector(),
        then.constant(),
        otherwise.vector(),
        otherwise.constant(),
        numbers,
        known,
        rows);
    return Value.of(type, numbers, known);
  }

  private Value text(Expression.Text expression) {
    if (!(expression.column() instanceof Expression.Column named)) {
      throw new IllegalArgumentException("isText and isLike take a column of text");
    }
    ReadableColumn<?> column = table.column(named.name());
    if (column.type() instanceof DictionaryType dictionary) {
      ReadableColumn<byte[]> entries = column.dictionary();
      int count = Rows.require(entries.length(), "a dictionary");
      ColumnValues ofEntries = new ColumnValues(stream, temporaries, count);
      return columns.ofDictionary(
          column, dictionary, matches(entries, ofEntries.known(entries), expression, count));
    }
    if (!column.type().equals(ColumnType.UTF8)) {
      throw new IllegalArgumentException(
          "column '" + column.name() + "' is " + column.type() + "; isText and isLike take text");
    }
    return matches(column, columns.known(column), expression, rows);
  }

  private Value matches(
      ReadableColumn<?> texts,
      @Nullable ReadableArray<byte[]> known,
      Expression.Text expression,
      int count) {
    ReadableArray<byte[]> bytes = Columns.view(texts.values(), byte[].class);
    byte[] text = expression.text().getBytes(StandardCharsets.UTF_8);
    DeviceArray<byte[]> pattern = temporaries.upload(text);
    DeviceArray<long[]> numbers = temporaries.array(long[].class, count);
    if (expression.isPattern()) {
      kernels.textLike(texts.offsets(), bytes, pattern, text.length, numbers, count);
    } else {
      kernels.textEquals(texts.offsets(), bytes, pattern, text.length, numbers, count);
    }
    return Value.of(ColumnType.BOOL8, numbers, known);
  }

  private Value mapped(int function, Value operand, ColumnType type, double factor) {
    Value vector = vector(operand);
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    kernels.map(function, numbersOf(vector), factor, numbers, rows);
    return Value.of(type, numbers, vector.known());
  }

  private Value doubles(Value value) {
    if (value.isFloating()) {
      return value;
    }
    double factor = Math.pow(10, value.scale());
    return value.numbers() == null
        ? Value.constant(ColumnType.FLOAT64, Double.doubleToRawLongBits(value.constant() / factor))
        : mapped(TO_DOUBLE, value, ColumnType.FLOAT64, factor);
  }

  /** The same value with more digits after the point. */
  private Value scaled(Value value, int scale) {
    if (value.scale() == scale) {
      return value;
    }
    long factor = Types.powerOfTen(scale - value.scale());
    ColumnType type = ColumnType.decimal(18, scale);
    return value.numbers() == null
        ? Value.constant(type, scaled(value.constant(), factor, scale))
        : combined(Operation.MULTIPLY, value, Value.constant(type, factor), type);
  }

  private static long scaled(long constant, long factor, int scale) {
    try {
      return Math.multiplyExact(constant, factor);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "the constant "
              + constant
              + " with "
              + scale
              + " digits after the point does not fit in"
              + " 64 bits",
          e);
    }
  }

  private Value vector(Value value) {
    if (value.numbers() != null) {
      return value;
    }
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    numbers.fill(stream, value.constant());
    return Value.of(value.type(), numbers, null);
  }

  /** The numbers of a vector, which are there. */
  static ReadableArray<long[]> numbersOf(Value vector) {
    ReadableArray<long[]> numbers = vector.numbers();
    if (numbers == null) {
      throw new IllegalStateException("a constant is no vector");
    }
    return numbers;
  }

  private static Value requireCondition(Value value, String what) {
    if (!value.isCondition()) {
      throw new IllegalArgumentException(what + " is " + value.type() + ", not a condition");
    }
    return value;
  }
}
