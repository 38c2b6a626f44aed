//! See the table of the same name.

// does not compile: SUP-71: a message outside the protocol cannot be sent
// does not compile: SUP-72: a factory is given no context, so there is no foreign one and none that is missing
// does not compile: SUP-73: as SUP-72; an actor cannot be made of another's context
