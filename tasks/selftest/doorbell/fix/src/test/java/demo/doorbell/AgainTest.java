package demo.doorbell;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AgainTest {
    @Test
    public void ringsAgain() {
        Bell bell = new Bell();
        bell.ring(2);
        bell.ring(1);
        assertEquals(3, bell.rung());
    }
}
