package demo.tidegauge.report;

import demo.tidegauge.levels.Level;

/** A line of the notice board. */
public final class Notice {
    private static final int FLOOD = 420;

    private Notice() {}

    public static String line(String gauge, String metres) {
        int level = Level.centimetres(metres);
        return gauge + ": " + level + " cm" + (level >= FLOOD ? " - flood" : "");
    }
}
