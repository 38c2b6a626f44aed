//! Routers: not part of the runtime; a work pool spreads jobs.

// set aside: ROU-01: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-02: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-03: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-04: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-06: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-07: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-08: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-09: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-12: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-13: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-18: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-19: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
// set aside: ROU-21: routers are not part of the runtime; a `WorkPool` spreads jobs over workers
