package rates

import (
	"errors"
	"testing"

	"parcelpost.example/zones"
)

func TestCents(t *testing.T) {
	for _, parcel := range []struct {
		name  string
		grams int
		to    zones.Zone
		want  int
	}{
		{"a letter next door", 80, 1, 390},
		{"a book", 900, 2, 640},
		{"a lamp far away", 4200, 3, 1120},
		{"a chair", 9100, 1, 1190},
	} {
		t.Run(parcel.name, func(t *testing.T) {
			got, err := Cents(parcel.grams, parcel.to)
			if err != nil || got != parcel.want {
				t.Errorf("Cents(%d, %d) = %d, %v; want %d", parcel.grams, parcel.to, got, err, parcel.want)
			}
		})
	}
}

func TestWhatNobodyCarries(t *testing.T) {
	if _, err := Cents(10001, 1); !errors.Is(err, ErrTooHeavy) {
		t.Errorf("10001 g: %v", err)
	}
	if _, err := Cents(0, 1); !errors.Is(err, ErrNoWeight) {
		t.Errorf("0 g: %v", err)
	}
}
