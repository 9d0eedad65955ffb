package demo.stampbook;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AlbumTest {
    @Test
    public void countsKinds() {
        Album album = new Album();
        album.add("Blue Mauritius");
        album.add("Penny Black");
        assertEquals(2, album.kinds());
    }
}
