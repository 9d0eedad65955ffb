// Package zones says in which zone a postcode lies.
package zones

import "fmt"

// Zone is 1 near the depot and 3 far away from it.
type Zone int

// Of returns the zone of a postcode of five digits.
func Of(postcode string) (Zone, error) {
	if len(postcode) != 5 {
		return 0, fmt.Errorf("zones: %q is no postcode", postcode)
	}
	for _, digit := range postcode {
		if digit < '0' || digit > '9' {
			return 0, fmt.Errorf("zones: %q is no postcode", postcode)
		}
	}
	switch postcode[0] {
	case '1', '2':
		return 1, nil
	case '3', '4', '5':
		return 2, nil
	}
	return 3, nil
}
