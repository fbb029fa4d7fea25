//! A real HTTP server on loopback around the lease rules.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::post;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use leasebeat::{ErrorCode, Instant};
use reqwest::Url;
use serde::de::DeserializeOwned;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use uuid::Uuid;

use super::answer::{self, Answer};
use super::faults::{Fault, Script};
use super::lease::{Authority, Policy, Refusal};
use super::schema::{CreateRequest, ExtendRequest};
use crate::clock::Clock;

/// The one tenant, and its key.
pub(super) const TENANT: &str = "demo";
pub(super) const API_KEY: &str = "demo-key";

/// The running server. It serves for as long as the runtime lives.
#[derive(Debug, Clone)]
pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    time: ServerTime,
    authority: Mutex<Authority>,
    script: Mutex<Script>,
}

/// The server's time: epoch milliseconds that follow a monotonic clock, so that a step of the wall clock
/// lengthens and shortens no lease.
#[derive(Debug, Clone, Copy)]
struct ServerTime {
    clock: Clock,
    epoch_ms: u64,
}

impl ServerTime {
    fn new(clock: Clock) -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since_start_ms = clock.now().as_nanos() / 1_000_000;
        let epoch_ms = u64::try_from(epoch.as_millis()).unwrap_or(0).saturating_sub(since_start_ms);
        Self { clock, epoch_ms }
    }

    fn at_ms(self, at: Instant) -> u64 {
        self.epoch_ms.saturating_add(at.as_nanos() / 1_000_000)
    }

    fn now_ms(self) -> u64 {
        self.at_ms(self.clock.now())
    }
}

impl Server {
    /// Starts it on a free port of the loopback interface.
    pub(super) async fn start(clock: Clock, policy: Policy, script: Script) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            time: ServerTime::new(clock),
            authority: Mutex::new(Authority::new(policy)),
            script: Mutex::new(script),
        });
        let router = Router::new()
            .route("/v1/reservations", post(create))
            .route("/v1/reservations/{id}/extend", post(extend))
            .fallback(|| async {
                answer::respond(Err(Refusal::new(ErrorCode::NotFound, "no such resource")))
            })
            .with_state(Arc::clone(&shared));
        tokio::spawn(accept(listener, router));
        Ok(Self { address, shared })
    }

    pub(super) fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).expect("an address makes a URL")
    }

    /// What truly remained of a lease at a reading of the client's clock; `None` once it has expired.
    pub(super) fn remaining_ms(&self, id: &str, at: Instant) -> Option<u64> {
        lock(&self.shared.authority).remaining_ms(id, self.shared.time.at_ms(at))
    }

    /// How often a lease was extended, and the least that remained of it when an extension came in.
    pub(super) fn history(&self, id: &str) -> Option<(u64, u64)> {
        lock(&self.shared.authority).history(id)
    }

    pub(super) fn faults_played(&self) -> Vec<Fault> {
        lock(&self.shared.script).played().to_vec()
    }
}

/// The state is consistent after each call, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, router: Router) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, router.clone()))),
            // Out of sockets for a moment: the client sees a connection that takes long.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}

/// How a handler kills the connection that it answers on.
#[derive(Debug, Clone, Default)]
struct Kill(Arc<Notify>);

async fn serve(stream: TcpStream, router: Router) {
    // Answers are small: waiting to fill a packet would only slow them.
    let _ = stream.set_nodelay(true);
    let kill = Kill::default();
    let service = TowerToHyperService::new(router.layer(Extension(kill.clone())));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // However it ends, the client has seen it too.
        _ = &mut connection => {}
        () = kill.0.notified() => {
            let stream = connection.into_parts().io.into_inner();
            // No linger: the close is a reset, as when a machine or a proxy dies.
            let _ = stream.set_zero_linger();
        }
    }
}

async fn create(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let result = (|| {
        authenticate(&headers)?;
        let request: CreateRequest =
            parse(&headers, &body, |request: &CreateRequest| &request.idempotency_key)?;
        if request.subject.tenant.as_deref() != Some(TENANT) {
            return Err(Refusal::new(ErrorCode::Forbidden, "subject.tenant is not the key's tenant"));
        }
        let id = format!("rsv_{}", Uuid::new_v4().simple());
        let created = lock(&shared.authority).create(&request, id, shared.time.now_ms())?;
        Ok(Answer::ok(&created))
    })();
    answer::respond(result)
}

async fn extend(
    State(shared): State<Arc<Shared>>,
    Extension(kill): Extension<Kill>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request = authenticate(&headers)
        .and_then(|()| parse(&headers, &body, |request: &ExtendRequest| &request.idempotency_key));
    let request = match request {
        Ok(request) => request,
        Err(refusal) => return answer::respond(Err(refusal)),
    };
    let apply = || {
        let extended = lock(&shared.authority).extend(&id, &request, shared.time.now_ms());
        extended.map(|extended| Answer::ok(&extended))
    };
    let fault = lock(&shared.script).play(&request.idempotency_key);
    match fault {
        None => answer::respond(apply()),
        Some(Fault::Unavailable) => answer::unavailable(),
        Some(Fault::Throttled) => {
            answer::throttled(Fault::RETRY_AFTER_S, shared.time.now_ms() / 1_000 + Fault::RETRY_AFTER_S)
        }
        Some(Fault::Malformed) => answer::respond(apply().map(Answer::cut_short)),
        Some(Fault::Stalled) => answer::respond(apply().map(Answer::stalled)),
        Some(Fault::LostResponse) => {
            let _ = apply();
            kill.0.notify_one();
            std::future::pending().await
        }
    }
}

fn authenticate(headers: &HeaderMap) -> Result<(), Refusal> {
    if headers.get("X-Cycles-API-Key").map(HeaderValue::as_bytes) == Some(API_KEY.as_bytes()) {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::Unauthorized, "X-Cycles-API-Key is missing or unknown"))
}

/// Reads a request. A key in the header, where there is one, must be the one in the body.
fn parse<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: &[u8],
    key: fn(&T) -> &String,
) -> Result<T, Refusal> {
    let request: T = serde_json::from_slice(body)
        .map_err(|error| Refusal::new(ErrorCode::InvalidRequest, error.to_string()))?;
    match headers.get("X-Idempotency-Key") {
        Some(header) if header.as_bytes() != key(&request).as_bytes() => {
            Err(Refusal::new(ErrorCode::InvalidRequest, "X-Idempotency-Key differs from the body's key"))
        }
        _ => Ok(request),
    }
}

/// The status that an error code comes with.
pub(super) fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::ReservationExpired => StatusCode::GONE,
        ErrorCode::LimitExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::CONFLICT,
    }
}
