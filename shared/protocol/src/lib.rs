//! Messages between client and server, built from views only.
