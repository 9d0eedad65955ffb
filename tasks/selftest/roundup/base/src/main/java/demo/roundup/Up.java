package demo.roundup;

public final class Up {
    private Up() {}

    /** The next ten. */
    public static int ten(int number) {
        return number / 10 * 10 + 10;
    }
}
