package demo.doorbell;

/** A bell. */
public final class Bell {
    private int rung;

    public void ring(int times) {
        rung = times;
    }

    public int rung() {
        return rung;
    }
}
