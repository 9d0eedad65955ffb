package demo.tidegauge.levels;

/** Heights of the water over the zero of the gauge, in whole centimetres. */
public final class Level {
    private Level() {}

    /** Reads what a gauge sends, such as {@code 3.05} metres. */
    public static int centimetres(String metres) {
        String[] parts = metres.strip().split("\\.", 2);
        int whole = Integer.parseInt(parts[0]) * 100;
        if (parts.length == 1) {
            return whole;
        }
        String twoDigits = (parts[1] + "0").substring(0, 2);
        return whole + Integer.parseInt(twoDigits);
    }
}
