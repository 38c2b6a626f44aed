//! Topics: not part of the runtime.

// set aside: PUB-01: topics are not part of the runtime; who tells several actors keeps their references
// set aside: PUB-03: topics are not part of the runtime; who tells several actors keeps their references
// set aside: PUB-04: topics are not part of the runtime; who tells several actors keeps their references
