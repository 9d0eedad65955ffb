// Package signs writes what stands on the signs beside a road.
package signs

import "strconv"

// Text is what a sign says of a place that is so many kilometres away.
func Text(place string, kilometres int) string {
	if kilometres == 0 {
		return place
	}
	return place + " " + strconv.Itoa(kilometres) + " km"
}
