//! A registry of actors: not part of the runtime.

// set aside: REC-01: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-02: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-03: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-05: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-06: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-07: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-08: a registry of actors is not part of the runtime; references are handed over when actors are made
// set aside: REC-09: a registry of actors is not part of the runtime; references are handed over when actors are made
