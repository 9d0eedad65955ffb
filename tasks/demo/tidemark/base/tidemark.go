// Package tidemark reads times of day as tide tables print them.
package tidemark

import (
	"fmt"
	"strconv"
	"strings"
)

// Minutes returns how many minutes of a day have passed at a time such as 06:42.
func Minutes(clock string) (int, error) {
	hour, minute, found := strings.Cut(clock, ":")
	hours, err := number(hour)
	if err != nil || !found || hours > 23 {
		return 0, fmt.Errorf("tidemark: %q is no time of day", clock)
	}
	minutes, err := number(minute)
	if err != nil {
		return 0, fmt.Errorf("tidemark: %q is no time of day", clock)
	}
	return 60*hours + minutes, nil
}

func number(text string) (int, error) {
	if len(text) != 2 {
		return 0, strconv.ErrSyntax
	}
	value, err := strconv.ParseUint(text, 10, 8)
	return int(value), err
}
