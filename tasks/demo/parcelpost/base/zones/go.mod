module parcelpost.example/zones

go 1.26
