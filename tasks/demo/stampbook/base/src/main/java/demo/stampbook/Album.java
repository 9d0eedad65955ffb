package demo.stampbook;

import java.util.ArrayList;
import java.util.List;

/** Stamps by name; a collector may own several of one kind. */
public class Album {
    private final List<String> stamps = new ArrayList<>();

    public void add(String stamp) {
        stamps.add(stamp);
    }

    /** How many kinds there are. */
    public int kinds() {
        return stamps.size();
    }
}
