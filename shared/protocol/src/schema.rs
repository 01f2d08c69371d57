//! The JSON Schemas of messages and records, which are files in the repository.

/// The JSON Schema of one type of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// The schema's name, which is part of the schema's path on a server.
    pub name: &'static str,
    /// The schema as JSON text.
    pub text: &'static str,
}

/// The schemas of client messages, server messages and records.
pub const SCHEMAS: [Schema; 3] = [
    Schema { name: "client_to_server", text: include_str!("../schema/client_to_server.json") },
    Schema { name: "server_to_client", text: include_str!("../schema/server_to_client.json") },
    Schema { name: "record", text: include_str!("../schema/record.json") },
];
