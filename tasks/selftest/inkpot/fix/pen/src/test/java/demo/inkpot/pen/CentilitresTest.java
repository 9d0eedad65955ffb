package demo.inkpot.pen;

import static org.hamcrest.CoreMatchers.is;
import static org.hamcrest.MatcherAssert.assertThat;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class CentilitresTest {
    @Parameterized.Parameters(name = "{0} - [odd]::id ]]> \u00e9 \"")
    public static Iterable<Object[]> refills() {
        return Arrays.asList(new Object[][] {{"1 cl", 200}, {"2 cl", 400}, {" 2 cl", 400}});
    }

    private final String text;
    private final int drops;

    public CentilitresTest(String text, int drops) {
        this.text = text;
        this.drops = drops;
    }

    @Test
    public void counts() {
        assertThat(Refill.drops(text), is(drops));
    }
}
