//! Outside programs against each other, over the line protocol.
