//! Windowed delivery with confirmations: not part of the runtime.

// set aside: CON-01: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-03: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-04: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-05: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-07: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-08: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-09: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-10: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-11: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-14: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
// set aside: CON-15: windowed delivery is not part of the runtime; inside one process a mailbox is bounded and loses nothing that it accepted
