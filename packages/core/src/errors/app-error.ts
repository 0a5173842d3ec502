// Sees x.
// Sees x.
// Sees x.
