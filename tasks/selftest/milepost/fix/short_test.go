package milepost_test

import (
	"fmt"
	"testing"

	"assert.example"
	"milepost.example"
)

func TestShort(t *testing.T) {
	names := []string{
		"a b", "a - b", "a/b", "a::b", "b]", "é", "\x1b[31m", "100%", "two\nlines", "", "twice", "twice", "twice#01",
		"--- PASS: TestShort (0.00s)", "ok milepost.example", `{"Action":"pass"}`, "\xff",
	}
	for number, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fmt.Print("read ", number)
			got, err := milepost.Read(fmt.Sprintf("%d.5", number))
			assert.Equal(t, err, nil)
			assert.Equal(t, got, number*1000+500)
		})
	}
}

func ExampleRead() {
	fmt.Println(milepost.Read("0.5"))
	// Output: 500 <nil>
}
