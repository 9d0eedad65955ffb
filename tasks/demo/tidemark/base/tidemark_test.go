package tidemark

import "testing"

func TestMinutes(t *testing.T) {
	for clock, want := range map[string]int{"00:00": 0, "06:42": 402, "23:59": 1439} {
		if got, err := Minutes(clock); err != nil || got != want {
			t.Errorf("Minutes(%q) = %d, %v; want %d", clock, got, err, want)
		}
	}
}

func TestWhatIsNoTime(t *testing.T) {
	for _, clock := range []string{"", "noon", "24:00", "6:42", "06-42", "-1:30"} {
		if got, err := Minutes(clock); err == nil {
			t.Errorf("Minutes(%q) = %d", clock, got)
		}
	}
}
