import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/**
 * The reference implementation as a witness. `read LOG` prints what it finds in an interval log, one
 * line per interval; `record VALUES LOG` records the numbers of a text file, prints the line for
 * them, and writes them to a log of its own.
 *
 * A line is: tag, start and length in ms, count, minimum, maximum, mean, and then the percentiles.
 */
public class HdrReader {
  private static final double[] PERCENTILES = {
    0, 0.01, 1, 10, 50, 75, 90, 99, 99.9, 99.99, 99.991, 99.999, 99.9999, 100
  };
  private static final long BASE_MS = 1_700_000_000_250L;

  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ROOT);
    if (arguments[0].equals("read")) {
      read(arguments[1]);
    } else {
      record(arguments[1], arguments[2]);
    }
  }

  private static void read(String log) throws Exception {
    HistogramLogReader reader = new HistogramLogReader(new File(log));
    EncodableHistogram interval;
    while ((interval = reader.nextIntervalHistogram()) != null) {
      print((Histogram) interval);
    }
    reader.close();
  }

  private static void record(String values, String log) throws Exception {
    Histogram histogram = new Histogram(1, 3_600_000_000_000L, 3);
    for (String line : Files.readAllLines(Path.of(values))) {
      histogram.recordValue(Long.parseLong(line));
    }
    histogram.setTag("values");
    histogram.setStartTimeStamp(BASE_MS);
    histogram.setEndTimeStamp(BASE_MS + 1000);
    print(histogram);
    HistogramLogWriter writer = new HistogramLogWriter(new File(log));
    writer.outputLogFormatVersion();
    writer.outputStartTime(BASE_MS);
    writer.setBaseTime(BASE_MS);
    writer.outputBaseTime(BASE_MS);
    writer.outputLegend();
    writer.outputIntervalHistogram(histogram);
    writer.close();
  }

  private static void print(Histogram histogram) {
    StringBuilder line = new StringBuilder(histogram.getTag());
    line.append(' ').append(histogram.getStartTimeStamp());
    line.append(' ').append(histogram.getEndTimeStamp() - histogram.getStartTimeStamp());
    line.append(' ').append(histogram.getTotalCount());
    line.append(' ').append(histogram.getMinValue());
    line.append(' ').append(histogram.getMaxValue());
    line.append(' ').append(histogram.getMean());
    for (double percentile : PERCENTILES) {
      line.append(' ').append(histogram.getValueAtPercentile(percentile));
    }
    System.out.println(line);
  }
}
