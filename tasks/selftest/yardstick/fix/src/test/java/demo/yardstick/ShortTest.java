package demo.yardstick;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("short::lengths [a - b]")
class ShortTest {
    @Test
    @DisplayName("inches \u001b[31m alone, 100% of \u00e9 ]]>")
    void inchesAlone() {
        assertEquals("0'10\"", Length.read("10\"").toString());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"1\"", " 1\"", "1\" "})
    void blanksAround(String text) {
        assertEquals(new Length(1), Length.read(text));
    }

    @RepeatedTest(2)
    void moreThanAFoot() {
        assertEquals(new Length(30), Length.read("30\""));
    }

    @TestFactory
    Stream<DynamicTest> madeUp() {
        return Stream.of("same", "same", "a\nb").map(name ->
                DynamicTest.dynamicTest(name, () -> assertEquals(new Length(2), Length.read("2\""))));
    }

    @Nested
    class BehindUs {
        @Test
        void inchesAlone() {
            assertEquals(new Length(-4), Length.read("-4\""));
        }
    }
}
