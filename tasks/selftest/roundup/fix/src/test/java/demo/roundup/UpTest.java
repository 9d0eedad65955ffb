package demo.roundup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class UpTest {
    @Test
    void staysAtTen() {
        assertEquals(10, Up.ten(10));
    }
}
