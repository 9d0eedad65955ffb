package demo.tinplate;

/** A plate of tin, by its sides in whole centimetres. */
public final class Plate {
    private Plate() {}

    /** Its weight in grams. */
    public static int grams(int width, int height) {
        if (width < 0 || height < 0) {
            throw new IllegalArgumentException("no such plate");
        }
        return width * height;
    }
}
