//! Delivery that outlives its process: not part of the runtime.

// set aside: DUR-01: durable delivery is not part of the runtime; what must outlive the process is in a store or a broker
// set aside: DUR-02: durable delivery is not part of the runtime; what must outlive the process is in a store or a broker
// set aside: DUR-03: durable delivery is not part of the runtime; what must outlive the process is in a store or a broker
// set aside: DUR-05: durable delivery is not part of the runtime; what must outlive the process is in a store or a broker
