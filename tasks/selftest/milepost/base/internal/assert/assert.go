// Package assert says in tests what must be.
package assert

import "testing"

// Equal fails a test unless two values are the same.
func Equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%v, not %v", got, want)
	}
}
