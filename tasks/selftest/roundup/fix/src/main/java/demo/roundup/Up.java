package demo.roundup;

public final class Up {
    private Up() {}

    /** The next ten. */
    public static int ten(int number) {
        return (number + 9) / 10 * 10;
    }
}
