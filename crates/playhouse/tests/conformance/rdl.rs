//! Windowed delivery with confirmations: not part of the runtime.

// set aside: RDL-01: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: RDL-02: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: RDL-03: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: RDL-04: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: RDL-05: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: RDL-06: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
