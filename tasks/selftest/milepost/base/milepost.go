// Package milepost reads and shows distances along a road.
package milepost

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrText is the error of a text that is no distance.
var ErrText = errors.New("no distance")

// Read gives the metres of a distance in kilometres, such as `12` or `1.050`.
func Read(text string) (int, error) {
	whole, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
	kilometres, err := strconv.Atoi(whole)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, ErrText)
	}
	metres, _ := strconv.Atoi(fraction)
	return kilometres*1000 + metres, nil
}

// Show writes metres as Read reads them.
func Show(metres int) string {
	sign := ""
	if metres < 0 {
		sign, metres = "-", -metres
	}
	return fmt.Sprintf("%s%d.%03d", sign, metres/1000, metres%1000)
}
