package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts made of the tokens of others: in their places, with some replaced, or in any order. */
public final class TokenShuffle {
  private static final Pattern TOKEN = Pattern.compile("[%$\\w]+|\\.[\\w:]+|\\s+|.");

  private final Random random;
  private final List<List<String>> texts = new ArrayList<>();
  private final List<String> all = new ArrayList<>();

  public TokenShuffle(long seed, List<String> texts) {
    random = new Random(seed);
    for (String text : texts) {
      List<String> tokens = new ArrayList<>();
      Matcher matcher = TOKEN.matcher(text);
      while (matcher.find()) {
        tokens.add(matcher.group());
      }
      this.texts.add(tokens);
      all.addAll(tokens);
    }
  }

  /** The text of this number, counted round and round, with so many tokens replaced. */
  public String next(int number, int replaced) {
    List<String> tokens = new ArrayList<>(texts.get(number % texts.size()));
    for (int i = 0; i < replaced; i++) {
      tokens.set(random.nextInt(tokens.size()), all.get(random.nextInt(all.size())));
    }
    return String.join("", tokens);
  }

  /** So many tokens, each of any of the texts, with spaces between. */
  String any(int count) {
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tokens.add(all.get(random.nextInt(all.size())));
    }
    return String.join(" ", tokens);
  }
}
