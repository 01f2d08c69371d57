//! The JSON Schemas of messages and records, as they are checked in.

/// The JSON Schema of one type of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// Its name, part of its address on a server.
    pub name: &'static str,
    /// The schema: a JSON text.
    pub text: &'static str,
}

/// What clients send, what servers send, and records.
pub const SCHEMAS: [Schema; 3] = [
    Schema { name: "client_to_server", text: include_str!("../schema/client_to_server.json") },
    Schema { name: "server_to_client", text: include_str!("../schema/server_to_client.json") },
    Schema { name: "record", text: include_str!("../schema/record.json") },
];
