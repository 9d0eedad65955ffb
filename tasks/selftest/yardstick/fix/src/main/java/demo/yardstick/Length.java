package demo.yardstick;

/** A length in whole inches. */
public final class Length {
    private final int inches;

    public Length(int inches) {
        this.inches = inches;
    }

    /** Reads lengths such as {@code 5'3"}, {@code 5'}, {@code 10"} or {@code -1'6"}. */
    public static Length read(String text) {
        String bare = text.strip();
        boolean behind = bare.startsWith("-");
        String[] parts = (behind ? bare.substring(1) : bare).split("'", 2);
        String rest = parts[parts.length - 1].replace("\"", "");
        int feet = parts.length == 1 ? 0 : Integer.parseInt(parts[0]);
        int whole = feet * 12 + (rest.isEmpty() ? 0 : Integer.parseInt(rest));
        return new Length(behind ? -whole : whole);
    }

    public Length plus(Length other) {
        return new Length(inches + other.inches);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Length && ((Length) other).inches == inches;
    }

    @Override
    public int hashCode() {
        return inches;
    }

    /** As people write it. */
    @Override
    public String toString() {
        String sign = inches < 0 ? "-" : "";
        return sign + Math.abs(inches) / 12 + "'" + Math.abs(inches) % 12 + "\"";
    }
}
