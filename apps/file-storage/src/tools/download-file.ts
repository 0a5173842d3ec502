// Sees x.
