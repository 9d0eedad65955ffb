package demo.stampbook;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class DuplicatesCheck {
    @Test
    public void countsAStampThatIsThereTwiceOnce() {
        Album album = new Album();
        album.add("Penny Black");
        album.add("Penny Black");
        assertEquals(1, album.kinds());
    }
}
