//! Tables of every message and type, generated from the JSON Schema of the protocol.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use flagfall_protocol::{ClientToServer, ServerToClient};
use schemars::{JsonSchema, schema_for};
use serde_json::{Map, Value};

/// A JSON Schema, with the definitions of the named types that it uses.
pub(crate) struct Root {
    root: Value,
    types: Map<String, Value>,
}

impl Root {
    pub(crate) fn of<T: JsonSchema>() -> Root {
        let root = schema_for!(T).to_value();
        let types = root["$defs"].as_object().cloned().unwrap_or_default();
        Root { root, types }
    }

    fn messages(&self) -> impl Iterator<Item = (&str, &Value)> {
        variants(&self.root).map(|variant| (tag(variant, "type").expect("a message has a type"), variant))
    }
}

/// Returns the tables of all messages in both directions, and of the types that the messages use.
pub(crate) fn tables() -> String {
    let (client, server) = (Root::of::<ClientToServer>(), Root::of::<ServerToClient>());
    let mut page = String::new();
    page.push_str("\n## Messages from clients\n");
    for (name, message) in client.messages() {
        put_message(&mut page, name, message, &client);
    }
    page.push_str("\n## Messages from the server\n");
    for (name, message) in server.messages() {
        put_message(&mut page, name, message, &server);
    }
    page.push_str("\n## Types\n");
    let names: BTreeSet<&String> = client.types.keys().chain(server.types.keys()).collect();
    for name in names {
        let root = if server.types.contains_key(name) { &server } else { &client };
        if !is_per_side(name) {
            put_type(&mut page, name, &root.types[name], root);
        }
    }
    page
}

/// Returns the types of all messages, and the kinds of all game commands and events.
pub(crate) fn messages_and_commands() -> BTreeSet<String> {
    let (client, server) = (Root::of::<ClientToServer>(), Root::of::<ServerToClient>());
    let messages = client.messages().chain(server.messages()).map(|(name, _)| name.to_owned());
    let kinds = [&client.types["GameCommand"], &server.types["GameEvent"]];
    let kinds = kinds.into_iter().flat_map(variants).filter_map(|kind| tag(kind, "kind"));
    messages.chain(kinds.map(str::to_owned)).collect()
}

/// Returns all names that a program reads or writes: the types and kinds of messages, the names
/// of fields, and the values of enums.
pub(crate) fn names(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(name)) = fields.get("const") {
                found.insert(name.clone());
            }
            if let Some(Value::Array(values)) = fields.get("enum") {
                found.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            if let Some(Value::Object(properties)) = fields.get("properties") {
                found.extend(properties.keys().cloned());
            }
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

fn put_message(page: &mut String, name: &str, message: &Value, root: &Root) {
    write!(page, "\n### `{name}`\n\n{}\n", meaning(message)).expect("a text takes all");
    put_fields(page, message, root, "type");
}

fn put_type(page: &mut String, name: &str, schema: &Value, root: &Root) {
    write!(page, "\n### Type {name}\n\n{}\n", meaning(schema)).expect("a text takes all");
    if let Some(pattern) = schema["pattern"].as_str() {
        writeln!(page, "\nPattern: `{pattern}`").expect("a text takes all");
    }
    let kinds: Vec<&Value> = variants(schema).collect();
    if kinds.is_empty() {
        put_fields(page, schema, root, "");
    } else if kinds.iter().all(|kind| kind["const"].is_string()) {
        page.push_str("\n| value | meaning |\n|---|---|\n");
        for kind in kinds {
            let value = kind["const"].as_str().unwrap_or_default();
            writeln!(page, "| `{value}` | {} |", meaning(kind)).expect("a text takes all");
        }
    } else {
        page.push_str("\n| `kind` | field | type | required | meaning |\n|---|---|---|---|---|\n");
        for kind in kinds {
            let name = tag(kind, "kind").expect("a variant has a kind");
            writeln!(page, "| `{name}` | | | | {} |", meaning(kind)).expect("a text takes all");
            if let Some(inner) = kind["$ref"].as_str() {
                let inner = inner.rsplit('/').next().unwrap_or_default();
                writeln!(page, "| | the fields of {} | | | |", link(inner)).expect("a text takes all");
            }
            for row in rows(kind, root, "kind") {
                writeln!(page, "| {row}").expect("a text takes all");
            }
        }
    }
}

fn put_fields(page: &mut String, schema: &Value, root: &Root, tag: &str) {
    let rows = rows(schema, root, tag);
    if !rows.is_empty() {
        page.push_str("\n| field | type | required | meaning |\n|---|---|---|---|\n");
        rows.iter().for_each(|row| writeln!(page, "{row}").expect("a text takes all"));
    }
}

/// Returns a table row for each field except the tag. Required fields come first and keep the
/// order that they have in messages.
fn rows(schema: &Value, root: &Root, tag: &str) -> Vec<String> {
    let Some(fields) = schema["properties"].as_object() else { return Vec::new() };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let optional = fields.keys().map(String::as_str).filter(|name| !required.contains(name));
    let names = required.iter().copied().chain(optional).filter(|name| *name != tag);
    let row = |name: &str| {
        let field = &fields[name];
        let is_required = if required.contains(&name) { "yes" } else { "no" };
        format!("| `{name}` | {} | {is_required} | {} |", type_of(field, root), meaning(field))
    };
    names.map(row).collect()
}

fn type_of(schema: &Value, root: &Root) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        if is_per_side(name) {
            let inner = &root.types[name]["properties"]["red"];
            return format!("for each side: {}", or_null(inner, root));
        }
        return link(name);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let named = choices.iter().find(|choice| choice["type"] != "null").expect("a type");
        return type_of(named, root);
    }
    match kind_of(schema) {
        "array" => format!("list of {}", type_of(&schema["items"], root)),
        "object" => format!("map to {}", type_of(&schema["additionalProperties"], root)),
        kind => kind.to_owned(),
    }
}

/// Returns the type of the values in a `PerSide` pair. Both values are always present, but may be
/// `null`.
fn or_null(schema: &Value, root: &Root) -> String {
    let nullable = |value: &Value| value["type"] == "null";
    let is_nullable = schema["anyOf"].as_array().is_some_and(|choices| choices.iter().any(nullable))
        || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
    let name = type_of(schema, root);
    if is_nullable { format!("{name} or null") } else { name }
}

/// Returns the JSON type of a schema. If the schema also allows `null`, returns the other type.
fn kind_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("any")
        }
        _ => "any",
    }
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().into_iter().flatten()
}

fn tag<'schema>(variant: &'schema Value, field: &str) -> Option<&'schema str> {
    variant["properties"][field]["const"].as_str()
}

/// Returns the first paragraph of a schema's description as one line.
fn meaning(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let text = text.split("\n\n").next().unwrap_or_default();
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// True for `PerSide` and for numbered names such as `PerSide2`. There is one such schema for
/// each type argument.
fn is_per_side(name: &str) -> bool {
    name.strip_prefix("PerSide").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn link(name: &str) -> String {
    format!("[{name}](#type-{})", name.to_ascii_lowercase())
}
