package demo.inkpot.pen;

/** A refill of ink. */
public final class Refill {
    private static final int DROPS = 20;

    private Refill() {}

    /** Drops in a refill such as {@code 3 ml} or {@code 2 cl}. */
    public static int drops(String text) {
        String[] parts = text.trim().split(" ");
        int drops = Integer.parseInt(parts[0]) * DROPS;
        return parts.length > 1 && parts[1].equals("cl") ? drops * 10 : drops;
    }
}
