package demo.tinplate;

/** A plate of tin, by its sides in whole centimetres. */
public final class Plate {
    private Plate() {}

    /** Its weight in grams. */
    public static int grams(int width, int height) {
        return width * height;
    }
}
