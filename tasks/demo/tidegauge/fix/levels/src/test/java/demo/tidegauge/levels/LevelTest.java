package demo.tidegauge.levels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LevelTest {
    @Test
    void readsMetresAndCentimetres() {
        assertEquals(305, Level.centimetres("3.05"));
    }

    @Test
    void readsWholeMetres() {
        assertEquals(400, Level.centimetres(" 4 "));
    }

    @Nested
    class OldGauges {
        @ParameterizedTest
        @CsvSource({"3.5, 350", "0.9, 90", "2.0, 200"})
        void leaveOutTheLastZero(String sent, int level) {
            assertEquals(level, Level.centimetres(sent));
        }

        @Test
        void sendMillimetresToo() {
            assertEquals(123, Level.centimetres("1.239"));
        }
    }
}
