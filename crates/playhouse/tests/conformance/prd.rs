//! Windowed delivery with confirmations: not part of the runtime.

// set aside: PRD-01: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: PRD-02: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: PRD-04: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: PRD-05: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: PRD-06: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
