package demo.tidegauge.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NoticeTest {
    @Test
    void warnsOfAFlood() {
        assertEquals("Pier 2: 431 cm - flood", Notice.line("Pier 2", "4.31"));
    }

    @Test
    void isCalmBelow() {
        assertEquals("Pier 2: 212 cm", Notice.line("Pier 2", "2.12"));
    }
}
