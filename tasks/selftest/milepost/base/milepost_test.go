package milepost

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

var whole = map[string]int{"12": 12000, " 8 ": 8000, "1.050": 1050}

func TestWhole(t *testing.T) {
	for text, want := range whole {
		if got, err := Read(text); err != nil || got != want {
			t.Errorf("Read(%q) is %d, %v", text, got, err)
		}
	}
}

func TestNoNumber(t *testing.T) {
	if _, err := Read("far"); !errors.Is(err, ErrText) {
		t.Errorf("the error is %v", err)
	}
}

func TestShownAsRecorded(t *testing.T) {
	recorded, err := os.ReadFile("testdata/shown.txt")
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range strings.Fields(string(recorded)) {
		if got := Show([]int{1050, 12000, -3200}[number]); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestTalksLikeARunner(t *testing.T) {
	fmt.Println("--- FAIL: TestWhole (0.00s)")
	fmt.Println("\x1b[31mFAIL\x1b[0m\tmilepost.example\t0.001s")
	fmt.Println(`{"Action":"fail","Package":"milepost.example","Test":"TestWhole"}`)
	fmt.Println("panic: not really")
	fmt.Print("no end of line")
	if Show(0) != "0.000" {
		t.Fail()
	}
}

func TestElsewhere(t *testing.T) {
	t.Skip("nobody drives there")
}

func ExampleShow() {
	fmt.Println(Show(42195))
	// Output: 42.195
}
