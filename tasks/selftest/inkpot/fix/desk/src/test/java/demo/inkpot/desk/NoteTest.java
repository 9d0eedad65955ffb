package demo.inkpot.desk;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class NoteTest {
    @Test
    public void writesMillilitres() {
        assertEquals("3 ml: 60 drops", Note.line("3 ml"));
    }

    @Test
    public void writesCentilitres() {
        assertEquals("2 cl: 400 drops", Note.line("2 cl"));
    }
}
