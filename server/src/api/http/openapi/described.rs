//! Derives the parameters and answers of a handler from the types of its arguments and its
//! result.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::HeaderMap;
use axum::response::NoContent;
use axum::{Extension, Json};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::examples::example;
use crate::api::http::answer::{
    AnyJson, Checked, Created, JsonFeed, NoSuchPath, RenderedRecord, SessionBegun, SessionEnded,
};
use crate::api::http::error::ApiError;
use crate::api::http::request::{
    AnyToken, Asker, Body, From, FromOwnPage, IsByCookie, MaybeAsker, Owner, Path, Query, QueryFields, Shared,
};
use flagfall_protocol::{Feed, GameRecord, SessionInfo};

#[derive(Clone, Copy, PartialEq, Default)]
pub(super) enum Token {
    #[default]
    Unused,
    /// The token is optional. With it, the answer includes data that only this player may see.
    Allowed,
    Needed,
}

pub(in crate::api::http) struct Shape<'a> {
    generator: &'a mut SchemaGenerator,
    pub(super) token: Token,
    pub(super) query: Vec<Value>,
    pub(super) body: Option<Value>,
    /// The content of the answer with each status code; `null` for an answer without a body.
    pub(super) answers: BTreeMap<u16, Value>,
    /// The refusals, written as in the list of endpoints.
    pub(super) refusals: BTreeSet<String>,
}

impl Shape<'_> {
    pub(super) fn new(generator: &mut SchemaGenerator) -> Shape<'_> {
        Shape {
            generator,
            token: Token::default(),
            query: Vec::new(),
            body: None,
            answers: BTreeMap::new(),
            refusals: BTreeSet::new(),
        }
    }

    fn refuses(&mut self, codes: &[&str]) {
        self.refusals.extend(codes.iter().map(|code| (*code).to_owned()));
    }

    fn content<T: JsonSchema + Serialize + DeserializeOwned>(&mut self, kind: &str) -> Value {
        let schema = self.generator.subschema_for::<T>().to_value();
        let mut media = json!({ "schema": schema });
        if let Some(example) = example::<T>() {
            media["example"] = example;
        }
        Value::Object(Map::from_iter([(kind.to_owned(), media)]))
    }

    fn json<T: JsonSchema + Serialize + DeserializeOwned>(&mut self) -> Value {
        self.content::<T>("application/json")
    }
}

trait Part {
    fn describe(shape: &mut Shape<'_>);
}

impl Part for Shared {
    fn describe(_: &mut Shape<'_>) {}
}

impl<T> Part for Extension<T> {
    fn describe(_: &mut Shape<'_>) {}
}

impl Part for HeaderMap {
    fn describe(_: &mut Shape<'_>) {}
}

impl Part for From {
    fn describe(_: &mut Shape<'_>) {}
}

impl Part for IsByCookie {
    fn describe(_: &mut Shape<'_>) {}
}

impl<T> Part for Path<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.refuses(&["no_such_path"]);
    }
}

impl<T: QueryFields + JsonSchema> Part for Query<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.refuses(&[&format!("bad_query/{}", T::REASON)]);
        let schema = T::json_schema(shape.generator).to_value();
        let fields = schema["properties"].as_object().expect("a query has fields");
        shape.query = fields
            .iter()
            .map(|(name, schema)| {
                let mut schema = schema.clone();
                let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
                let about = about.unwrap_or_else(|| panic!("the field {name} says nothing of itself"));
                json!({ "name": name, "in": "query", "required": false, "description": about, "schema": schema })
            })
            .collect();
    }
}

impl<T: JsonSchema + Serialize + DeserializeOwned> Part for Body<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.refuses(&["malformed/body", "body_too_large"]);
        shape.body = Some(shape.json::<T>());
    }
}

impl Part for FromOwnPage {
    fn describe(shape: &mut Shape<'_>) {
        shape.refuses(&["foreign_origin/session"]);
    }
}

impl Part for AnyToken {
    fn describe(shape: &mut Shape<'_>) {
        shape.token = Token::Allowed;
    }
}

impl Part for MaybeAsker {
    fn describe(shape: &mut Shape<'_>) {
        shape.token = Token::Allowed;
        shape.refuses(&["bad_token/unknown_to_http", "account_closed"]);
    }
}

impl Part for Asker {
    fn describe(shape: &mut Shape<'_>) {
        shape.token = Token::Needed;
        shape.refuses(&["bad_token", "account_closed"]);
    }
}

impl Part for Owner {
    fn describe(shape: &mut Shape<'_>) {
        Asker::describe(shape);
        shape.refuses(&["scope_missing"]);
    }
}

trait Answer {
    fn describe(shape: &mut Shape<'_>);
}

impl<T: JsonSchema + Serialize + DeserializeOwned> Answer for Json<T> {
    fn describe(shape: &mut Shape<'_>) {
        let content = shape.json::<T>();
        shape.answers.insert(200, content);
    }
}

impl<T: JsonSchema + Serialize + DeserializeOwned> Answer for Created<T> {
    fn describe(shape: &mut Shape<'_>) {
        let content = shape.json::<T>();
        shape.answers.insert(201, content);
    }
}

impl<T: JsonSchema + Serialize + DeserializeOwned> Answer for Checked<T> {
    fn describe(shape: &mut Shape<'_>) {
        let content = shape.json::<T>();
        let mut failed = content.clone();
        failed["application/json"].as_object_mut().map(|media| media.remove("example"));
        shape.answers.extend([(200, content), (503, failed)]);
    }
}

impl Answer for NoContent {
    fn describe(shape: &mut Shape<'_>) {
        shape.answers.insert(204, Value::Null);
    }
}

impl Answer for AnyJson {
    fn describe(shape: &mut Shape<'_>) {
        let content = json!({ "application/json": { "schema": { "type": "object" } } });
        shape.answers.extend([(200, content), (304, Value::Null)]);
    }
}

impl Answer for String {
    fn describe(shape: &mut Shape<'_>) {
        shape.answers.insert(200, json!({ "text/plain": { "schema": { "type": "string" } } }));
    }
}

impl Answer for RenderedRecord {
    fn describe(shape: &mut Shape<'_>) {
        let mut content = shape.json::<GameRecord>();
        content["text/plain"] = json!({ "schema": { "type": "string" } });
        shape.answers.insert(200, content);
    }
}

impl Answer for SessionBegun {
    fn describe(shape: &mut Shape<'_>) {
        let content = shape.json::<SessionInfo>();
        shape.answers.insert(200, content);
    }
}

impl Answer for SessionEnded {
    fn describe(shape: &mut Shape<'_>) {
        shape.answers.insert(204, Value::Null);
    }
}

impl Answer for JsonFeed {
    fn describe(shape: &mut Shape<'_>) {
        let content = shape.content::<Feed>("application/feed+json");
        shape.answers.insert(200, content);
    }
}

impl<T: Answer> Answer for Result<T, ApiError> {
    fn describe(shape: &mut Shape<'_>) {
        T::describe(shape);
        shape.refuses(&["store_unavailable/away", "internal/other"]);
    }
}

impl<T: Answer> Answer for Result<T, NoSuchPath> {
    fn describe(shape: &mut Shape<'_>) {
        T::describe(shape);
        shape.refuses(&["no_such_path"]);
    }
}

/// A handler that the OpenAPI document can describe. `A` is the tuple of its argument types.
pub(in crate::api::http) trait Described<A> {
    fn describe(shape: &mut Shape<'_>);
}

macro_rules! described {
    ($($part:ident)*) => {
        impl<H, F, $($part),*> Described<($($part,)*)> for H
        where
            H: Fn($($part),*) -> F,
            F: Future,
            F::Output: Answer,
            $($part: Part,)*
        {
            fn describe(shape: &mut Shape<'_>) {
                $($part::describe(shape);)*
                F::Output::describe(shape);
            }
        }
    };
}

described!();
described!(P1);
described!(P1 P2);
described!(P1 P2 P3);
described!(P1 P2 P3 P4);
described!(P1 P2 P3 P4 P5);
