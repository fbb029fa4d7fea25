//! One connection of the pool: takes attempts in their order, one at a time, and says what became of each.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::RETRY_AFTER;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use leasebeat::wire::{UnknownKeys, decode};
use leasebeat::{Failure, Operation, Outcome};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedSender;

use crate::clock;
use crate::job::{Answer, Job};
use crate::request::Template;

/// No answer of this protocol comes near it: a bound on memory.
const BODY_MAX_BYTES: usize = 64 << 10;

type Sender = SendRequest<Full<Bytes>>;

/// Where the connection leads, and how it is used.
#[derive(Debug, Clone)]
pub struct Route {
    /// `host:port`.
    pub address: String,
    /// How requests are written.
    pub template: Template,
    /// Attempts to be sent.
    pub jobs: async_channel::Receiver<Job>,
    /// Where it says what became of them.
    pub answers: UnboundedSender<Answer>,
}

/// Works until there will be no more jobs.
///
/// This is the only timer for a time limit, one for each connection. It is enough: all attempts have the same limit and
/// are taken in order, so that a connection is always free by the time the next one in the queue expires.
pub async fn run(route: Route) {
    let mut limit = pin!(tokio::time::sleep_until(tokio::time::Instant::now()));
    let mut connection = None;
    while let Ok(job) = route.jobs.recv().await {
        limit.as_mut().reset(clock::timer(job.expires));
        let request = route.template.request(&job);
        let sent = clock::now();
        let exchange = tokio::select! {
            biased;
            exchange = exchange(&mut connection, &route.address, request, job.attempt.operation) => exchange,
            () = &mut limit => Err(Failure::Timeout),
        };
        if exchange.is_err() {
            // What has not been read to its end cannot carry another request.
            connection = None;
        }
        let (outcome, reservation) = exchange.unwrap_or_else(|failure| (Outcome::Failed(failure), None));
        let Job { lease, attempt, due, .. } = job;
        let answer = Answer { lease, attempt: attempt.id, outcome, reservation, due, sent };
        if route.answers.send(answer).is_err() {
            return;
        }
    }
}

type Exchange = Result<(Outcome, Option<Arc<str>>), Failure>;

async fn exchange(
    connection: &mut Option<Sender>,
    address: &str,
    request: Request<Full<Bytes>>,
    operation: Operation,
) -> Exchange {
    let lost = |_| Failure::Connection;
    let sender = match connection {
        Some(sender) if !sender.is_closed() => sender,
        _ => connection.insert(connect(address).await.ok_or(Failure::Connection)?),
    };
    sender.ready().await.map_err(lost)?;
    let response = sender.send_request(request).await.map_err(lost)?;
    read(operation, response).await
}

async fn connect(address: &str) -> Option<Sender> {
    let stream = TcpStream::connect(address).await.ok()?;
    // A beat is a small request: waiting to fill a packet would only slow it.
    stream.set_nodelay(true).ok()?;
    let (sender, driver) = handshake(TokioIo::new(stream)).await.ok()?;
    // It ends with the sender. What goes wrong on it, the sender is told.
    tokio::spawn(driver);
    Some(sender)
}

/// C1, W: what the answer proves, by the kernel's own decoder.
async fn read(operation: Operation, response: Response<Incoming>) -> Exchange {
    let (head, body) = response.into_parts();
    let mut headers = head.headers.get_all(RETRY_AFTER).iter();
    // C5: two headers are a list, and a list is invalid.
    let retry_after = match (headers.next(), headers.next()) {
        (Some(one), None) => Some(one.as_bytes()),
        (None, _) => None,
        _ => Some(&b","[..]),
    };
    let body = Limited::new(body, BODY_MAX_BYTES).collect().await.map_err(|_| Failure::Connection)?;
    let body = body.to_bytes();
    let decoded = decode(operation, head.status.as_u16(), retry_after, &body, UnknownKeys::Ignore);
    let reservation = decoded.reservation_id().map(|id| id.chars().collect::<String>().into());
    Ok((decoded.outcome(None), reservation))
}
