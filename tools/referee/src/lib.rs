//! The engine without a network: JSON lines in, JSON lines out.
