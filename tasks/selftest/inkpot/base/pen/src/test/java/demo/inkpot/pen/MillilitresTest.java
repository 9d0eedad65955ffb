package demo.inkpot.pen;

import static org.hamcrest.CoreMatchers.is;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.junit.Assert.assertEquals;

import org.junit.Assume;
import org.junit.Ignore;
import org.junit.Test;

public class MillilitresTest {
    @Test
    public void counts() {
        assertEquals(60, Refill.drops("3 ml"));
    }

    @Test
    public void countsNone() {
        assertThat(Refill.drops("0 ml"), is(0));
    }

    @Test(expected = NumberFormatException.class)
    public void refusesWords() {
        Refill.drops("some");
    }

    @Ignore("nobody has written it")
    @Test
    public void countsLitres() {
        assertEquals(20000, Refill.drops("1 l"));
    }

    @Test
    public void elsewhere() {
        Assume.assumeTrue(System.getProperty("os.name").startsWith("Plan 9"));
    }
}
