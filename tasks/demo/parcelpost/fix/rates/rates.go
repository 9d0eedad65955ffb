// Package rates says what a parcel costs.
package rates

import (
	"errors"

	"parcelpost.example/zones"
)

// ErrTooHeavy is for parcels that nobody carries.
var ErrTooHeavy = errors.New("rates: too heavy")

// ErrNoWeight is for weights that no parcel has.
var ErrNoWeight = errors.New("rates: no weight")

type band struct {
	limit int // grams
	cents [3]int
}

var bands = []band{
	{500, [3]int{390, 450, 520}},
	{2000, [3]int{560, 640, 750}},
	{5000, [3]int{830, 950, 1120}},
	{10000, [3]int{1190, 1380, 1640}},
}

// Cents returns the price of a parcel. A band's price holds up to its limit.
func Cents(grams int, to zones.Zone) (int, error) {
	if grams <= 0 {
		return 0, ErrNoWeight
	}
	for _, band := range bands {
		if grams <= band.limit {
			return band.cents[to-1], nil
		}
	}
	return 0, ErrTooHeavy
}
