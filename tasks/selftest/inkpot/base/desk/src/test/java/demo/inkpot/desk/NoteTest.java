package demo.inkpot.desk;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class NoteTest {
    @Test
    public void writesMillilitres() {
        assertEquals("3 ml: 60 drops", Note.line("3 ml"));
    }
}
