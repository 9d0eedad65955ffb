package demo.yardstick;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LengthTest {
    @Test
    void readsFeetAndInches() {
        assertEquals(new Length(63), Length.read("5'3\""));
    }

    @Test
    void readsFeet() {
        assertEquals(new Length(60), Length.read(" 5' "));
    }

    @Test
    void readsWhatIsBehindUs() {
        assertEquals(new Length(-18), Length.read("-1'6\""));
    }

    @Test
    void adds() {
        assertEquals(new Length(70), Length.read("5'3\"").plus(new Length(7)));
    }

    @Test
    void showsAsRecorded() throws Exception {
        byte[] shown = getClass().getResourceAsStream("/shown.txt").readAllBytes();
        String now = new Length(63) + "\n" + new Length(10) + "\n" + new Length(-18) + "\n";
        assertEquals(new String(shown, StandardCharsets.UTF_8), now);
    }

    @ParameterizedTest(name = "{0} - [odd]::id")
    @ValueSource(strings = {"7'", "8'"})
    void readsSmall(String text) {
        assertEquals(text + "0\"", Length.read(text).toString());
    }

    @Test
    void talksLikeARunner() throws Exception {
        Thread other = new Thread(() -> {
            System.out.println("[ERROR] Tests run: 9, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in demo.yardstick.LengthTest");
            System.err.println("[ERROR]   LengthTest.adds:24 expected: <1> but was: <2>");
        });
        other.start();
        System.out.print("\u001b[1;31mBUILD FAILURE\u001b[m\n[INFO] Running demo.yardstick.ShortTest\n[ERROR] There are test failures.");
        other.join();
        System.out.println("<testcase name=\"adds\" classname=\"demo.yardstick.LengthTest\"><failure/></testcase> ]]> \u0000");
        assertEquals("0'0\"", new Length(0).toString());
    }

    @Disabled("nobody has written it")
    @Test
    void readsYards() {
        assertEquals(new Length(36), Length.read("1yd"));
    }

    @Test
    void elsewhere() {
        assumeTrue(System.getProperty("os.name").startsWith("Plan 9"));
        assertEquals(1, 2);
    }
}
