package zones

import (
	"fmt"
	"testing"
)

func TestPostcodesThatAreNone(t *testing.T) {
	for _, postcode := range []string{"", "1234", "12a45", "123456"} {
		if zone, err := Of(postcode); err == nil {
			t.Errorf("Of(%q) = %d", postcode, zone)
		}
	}
}

func ExampleOf() {
	zone, _ := Of("40210")
	fmt.Println(zone)
	// Output: 2
}
