package demo.tinplate;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class RefusedTest {
    @Test(expected = IllegalArgumentException.class)
    public void width() {
        Plate.grams(-1, 3);
    }

    @Test(expected = IllegalArgumentException.class)
    public void height() {
        Plate.grams(1, -3);
    }

    @Test
    public void neither() {
        assertEquals(0, Plate.grams(0, 0));
    }
}
