package demo.tidegauge.levels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LevelTest {
    @Test
    void readsMetresAndCentimetres() {
        assertEquals(305, Level.centimetres("3.05"));
    }

    @Test
    void readsWholeMetres() {
        assertEquals(400, Level.centimetres(" 4 "));
    }
}
