module milepost.example

go 1.26

require assert.example v0.0.0

replace assert.example => ./internal/assert
