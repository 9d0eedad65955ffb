package demo.tinplate;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PlateTest {
    @Test
    public void weighs() {
        assertEquals(6, Plate.grams(2, 3));
    }
}
