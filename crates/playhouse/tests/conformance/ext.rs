//! Extensions: not part of the runtime.

// set aside: EXT-01: extensions are not part of the runtime; what a system shares is a value that its actors are made with
// set aside: EXT-02: extensions are not part of the runtime; what a system shares is a value that its actors are made with
// set aside: EXT-04: extensions are not part of the runtime; what a system shares is a value that its actors are made with
