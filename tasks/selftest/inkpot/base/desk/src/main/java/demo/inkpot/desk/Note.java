package demo.inkpot.desk;

import demo.inkpot.pen.Refill;

/** What is written down of a refill. */
public final class Note {
    private Note() {}

    public static String line(String refill) {
        return refill + ": " + Refill.drops(refill) + " drops";
    }
}
