module assert.example

go 1.26
