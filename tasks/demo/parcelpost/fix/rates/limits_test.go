package rates

import "testing"

func TestALimitBelongsToItsBand(t *testing.T) {
	for name, grams := range map[string]int{"half a kilo": 500, "two kilos": 2000, "ten kilos": 10000} {
		t.Run(name, func(t *testing.T) {
			at, err := Cents(grams, 2)
			if err != nil {
				t.Fatal(err)
			}
			below, err := Cents(grams-1, 2)
			if err != nil {
				t.Fatal(err)
			}
			if at != below {
				t.Errorf("%d g cost %d, %d g cost %d", grams, at, grams-1, below)
			}
		})
	}
}
