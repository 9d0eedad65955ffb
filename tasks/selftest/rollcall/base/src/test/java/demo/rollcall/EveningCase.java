package demo.rollcall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EveningCase {
    @Test
    void counts() {
        assertEquals(2, Roll.evening("Ann,Bob"));
    }
}
