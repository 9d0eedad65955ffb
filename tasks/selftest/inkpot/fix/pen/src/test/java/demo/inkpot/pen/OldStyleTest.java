package demo.inkpot.pen;

import junit.framework.TestCase;

public class OldStyleTest extends TestCase {
    public void testCounts() {
        assertEquals(600, Refill.drops("3 cl"));
    }
}
