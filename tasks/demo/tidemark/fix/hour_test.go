package tidemark

import "testing"

func TestAnHourHasSixtyMinutes(t *testing.T) {
	for _, tide := range []struct {
		clock string
		good  bool
	}{
		{"12:60", false},
		{"06:99", false},
		{"12:59", true},
	} {
		t.Run(tide.clock, func(t *testing.T) {
			t.Parallel()
			if _, err := Minutes(tide.clock); (err == nil) != tide.good {
				t.Errorf("Minutes(%q): %v", tide.clock, err)
			}
		})
	}
}
