package demo.rollcall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MorningCase {
    @Test
    void counts() {
        assertEquals(2, Roll.morning("Ann,Bob"));
    }

    @Test
    void countsNobody() {
        assertEquals(0, Roll.morning(""));
    }
}
