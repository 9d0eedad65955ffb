package signs

import (
	"os"
	"testing"

	"assert.example"
)

var opened bool

func TestMain(m *testing.M) {
	opened = true
	os.Exit(m.Run())
}

func TestText(t *testing.T) {
	assert.Equal(t, opened, true)
	assert.Equal(t, Text("Harbour", 15), "Harbour 15 km")
}

func TestHere(t *testing.T) {
	assert.Equal(t, Text("Harbour", 0), "Harbour")
}
