module parcelpost.example/rates

go 1.26

require parcelpost.example/zones v0.0.0
