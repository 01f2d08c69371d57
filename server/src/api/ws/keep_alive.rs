//! Decides how long an HTTP connection lasts, and when it stays open for another request.
//!
//! A connection stays open after the answer to a request that only reads. It then waits for the
//! next request like a new connection that has sent nothing: for a limited time, and only until
//! another client needs its place. Connections from proxies are closed after each answer. The
//! reason is that each of their requests may come from a different client, but a connection
//! counts toward the limits of only one client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use flagfall_base::admission::{Admission, Seat};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::Request;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The limits of an HTTP connection.
#[derive(Clone, Copy, Debug)]
pub struct ListenerLimits {
    /// The time in which a client must send the head of its first request.
    pub head: Duration,
    /// The time for a request and its answer together. WebSockets have no such limit.
    pub http: Duration,
    /// The limits of a connection that stays open after an answer. `None` if connections are closed
    /// after each answer.
    pub keep_alive: Option<KeepAlive>,
}

/// The limits of a connection that stays open after an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeepAlive {
    /// The time from an answer until the head of the next request must be complete.
    pub idle: Duration,
    /// The maximum number of requests on one connection. The last one is answered with
    /// `Connection: close`.
    pub requests_max: u32,
}

/// The state of one connection: its requests so far, and its deadline. Cheap to clone.
#[derive(Clone)]
pub(super) struct Turns(Arc<Shared>);

struct Shared {
    limits: ListenerLimits,
    admission: Admission,
    seat: Arc<Seat>,
    state: Mutex<State>,
}

struct State {
    /// The time at which the connection is closed if nothing happens before then.
    deadline: Instant,
    requests: u32,
}

impl Turns {
    /// Creates the state of a new connection. The client must send the head of its first request
    /// in time.
    pub(super) fn new(limits: ListenerLimits, admission: Admission, seat: Arc<Seat>) -> Turns {
        let state = State { deadline: Instant::now() + limits.head, requests: 0 };
        Turns(Arc::new(Shared { limits, admission, seat, state: Mutex::new(state) }))
    }

    pub(super) fn deadline(&self) -> Instant {
        self.0.state.lock().deadline
    }

    /// Records that a request has arrived. Returns true if the connection may stay open after the
    /// answer.
    pub(super) fn begin(&self, request: &Request<impl HttpBody>) -> bool {
        let Shared { limits, state, .. } = &*self.0;
        let mut state = state.lock();
        state.deadline = Instant::now() + limits.http;
        state.requests = state.requests.saturating_add(1);
        // A request with a body closes the connection, because an unread body would be taken for
        // the next request.
        let only_reads =
            matches!(*request.method(), Method::GET | Method::HEAD) && request.body().is_end_stream();
        only_reads && limits.keep_alive.is_some_and(|keep_alive| state.requests < keep_alive.requests_max)
    }

    /// Completes an answer. Closes the connection after an error, because a client that has
    /// exceeded a limit must not keep its connection.
    pub(super) fn finish(&self, mut response: Response, may_stay_open: bool) -> Response<AnswerBody> {
        let is_good = response.status().is_success() || response.status().is_redirection();
        // A route can set the header to close the connection.
        let waits = may_stay_open && is_good && !response.headers().contains_key(CONNECTION);
        if !waits && response.status() != StatusCode::SWITCHING_PROTOCOLS {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let rest = waits.then(|| Rest(self.clone()));
        response.map(|body| AnswerBody { body, _rest: rest })
    }
}

/// A guard in the body of an answer. It is dropped once the answer has been sent, and the
/// connection then waits for the next request.
struct Rest(Turns);

impl Drop for Rest {
    fn drop(&mut self) {
        let Shared { limits, admission, seat, state } = &*self.0.0;
        let Some(KeepAlive { idle, .. }) = limits.keep_alive else { return };
        state.lock().deadline = Instant::now() + idle;
        admission.note_idle(seat);
    }
}

/// The body of an answer, with a guard that is dropped together with the body.
pub(super) struct AnswerBody {
    body: Body,
    _rest: Option<Rest>,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use flagfall_base::admission::AdmissionLimits;
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn turns(keep_alive: Option<KeepAlive>) -> Turns {
        let admission = Admission::new(&AdmissionLimits::default(), 10);
        let client = admission.client(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let seat = admission.accept(client, Instant::now()).unwrap();
        Turns::new(ListenerLimits { head: SECOND, http: 30 * SECOND, keep_alive }, admission, seat)
    }

    fn asked(method: Method, body: &'static str) -> Request<Body> {
        Request::builder().method(method).body(Body::from(body)).unwrap()
    }

    fn answer(status: StatusCode) -> Response {
        let mut response = Response::new(Body::from("x"));
        *response.status_mut() = status;
        response
    }

    const TWO: Option<KeepAlive> = Some(KeepAlive { idle: Duration::from_secs(10), requests_max: 2 });

    #[test]
    fn only_requests_that_read_leave_a_connection_open() {
        for (method, body, stays) in [
            (Method::GET, "", true),
            (Method::HEAD, "", true),
            (Method::GET, "x", false),
            (Method::POST, "", false),
            (Method::DELETE, "", false),
            (Method::OPTIONS, "", false),
        ] {
            assert_eq!(turns(TWO).begin(&asked(method.clone(), body)), stays, "{method} {body}");
            assert!(!turns(None).begin(&asked(method, body)));
        }
    }

    #[test]
    fn a_connection_answers_a_limited_number_of_requests() {
        let turns = turns(TWO);
        assert!(turns.begin(&asked(Method::GET, "")));
        assert!(!turns.begin(&asked(Method::GET, "")));
        assert!(!turns.begin(&asked(Method::GET, "")));
    }

    #[test]
    fn an_error_closes_the_connection_and_an_upgrade_keeps_its_own_header() {
        for (status, may_stay, closes) in [
            (StatusCode::OK, true, false),
            (StatusCode::OK, false, true),
            (StatusCode::NOT_MODIFIED, true, false),
            (StatusCode::NOT_FOUND, true, true),
            (StatusCode::TOO_MANY_REQUESTS, true, true),
            (StatusCode::SERVICE_UNAVAILABLE, true, true),
            (StatusCode::SWITCHING_PROTOCOLS, false, false),
        ] {
            let finished = turns(TWO).finish(answer(status), may_stay);
            assert_eq!(finished.headers().contains_key(CONNECTION), closes, "{status}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_part_of_a_turn_has_its_own_limit() {
        let turns = turns(TWO);
        let left = || turns.deadline() - Instant::now();
        assert_eq!(left(), SECOND);
        let may_stay = turns.begin(&asked(Method::GET, ""));
        assert_eq!(left(), 30 * SECOND);
        let response = turns.finish(answer(StatusCode::OK), may_stay);
        assert_eq!(left(), 30 * SECOND, "the answer is under way");
        drop(response);
        assert_eq!(left(), 10 * SECOND);
        let may_stay = turns.begin(&asked(Method::GET, ""));
        drop(turns.finish(answer(StatusCode::OK), may_stay));
        assert_eq!(left(), 30 * SECOND, "the last answer leaves nothing to wait for");
    }
}
