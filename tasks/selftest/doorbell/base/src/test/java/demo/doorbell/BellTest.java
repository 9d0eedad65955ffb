package demo.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BellTest {
    @Test
    void rings() {
        Bell bell = new Bell();
        bell.ring(2);
        assertEquals(2, bell.rung());
    }
}
