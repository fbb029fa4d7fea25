//! The paths that are served, and what happens to a request on its way.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use leasebeat::ErrorCode;

use super::apply::{Success, Work};
use super::asked::{Asked, digest};
use super::correlate::Correlation;
use super::fault::{Answer, Fault};
use super::log::Entry;
use super::problem::{Problem, Throttle};
use super::reply::Reply;
use super::script::Operation;
use super::server::Kill;
use super::world::{World, written};

/// No request of this protocol needs more: a bound on memory.
const BODY_MAX_BYTES: usize = 64 << 10;

pub(super) fn router(world: Arc<World>) -> Router {
    let one = |operation| move |state, kill, path, request| of_one(operation, state, kill, path, request);
    let all = |operation| move |state, kill, request| handle(operation, None, state, kill, request);
    Router::new()
        .route("/v1/reservations", post(all(Operation::Create)))
        .route("/v1/reservations/{id}", get(one(Operation::Get)))
        .route("/v1/reservations/{id}/extend", post(one(Operation::Extend)))
        .route("/v1/reservations/{id}/commit", post(one(Operation::Commit)))
        .route("/v1/reservations/{id}/release", post(one(Operation::Release)))
        .route("/v1/events", post(all(Operation::Event)))
        .method_not_allowed_fallback(other_method)
        .fallback(other_path)
        .with_state(world)
}

async fn of_one(
    operation: Operation,
    state: State<Arc<World>>,
    kill: Extension<Kill>,
    path: Result<Path<String>, PathRejection>,
    request: Request<Body>,
) -> Response {
    // A path that is no UTF-8 names nothing.
    let name = path.map_or_else(|_| String::from("?"), |Path(name)| name);
    handle(operation, Some(name), state, kill, request).await
}

/// One request. What has arrived is done to its end, whether or not anybody still waits for the answer.
async fn handle(
    operation: Operation,
    name: Option<String>,
    State(world): State<Arc<World>>,
    Extension(kill): Extension<Kill>,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, BODY_MAX_BYTES).await;
    let done = tokio::spawn(answer(operation, name, world, parts.headers, body)).await;
    if let Ok(Some(response)) = done {
        return response;
    }
    // Without an answer, as asked for or by a panic here, the connection ends, and this with it.
    kill.now();
    std::future::pending().await
}

/// From the headers to the answer, with what goes wrong on the way; `None` where the connection is to be reset.
async fn answer(
    operation: Operation,
    name: Option<String>,
    world: Arc<World>,
    headers: HeaderMap,
    body: Result<Bytes, axum::Error>,
) -> Option<Response> {
    let ids = Correlation::of(&headers);
    let too_long = body.is_err();
    let asked = Asked::new(headers, body.unwrap_or_default());
    let mut work = Work { world: &world, asked: &asked, reservation: name.as_deref(), facts: <_>::default() };

    // The rules count each request, one that asks for a fault of its own too.
    let scripted = world.script().play(operation, asked.key().map(digest));
    let fault = asked_for(&world, &asked).map(|asked_for| asked_for.or(scripted));
    let (fault, refused) = match fault {
        _ if too_long => {
            (None, Some(Problem::invalid(format!("the body is longer than {BODY_MAX_BYTES} bytes"))))
        }
        Ok(fault) => (fault, None),
        Err(error) => (None, Some(Problem::invalid(format!("X-Leasebeat-Fault: {error}")))),
    };
    let fault = fault.unwrap_or_default();
    prepare(&mut work, &fault);
    sleep(fault.before).await;
    let result = match refused {
        Some(problem) => Err(problem),
        None => played(&mut work, operation, &fault),
    };

    let tenant = work.facts.tenant.and_then(|tenant| world.name_of(tenant));
    let reply = Reply::new(&result, &ids, tenant).spoiled(&fault.answer);
    let resets = matches!(fault.answer, Answer::Reset { .. });
    log(&work, operation.name(), &ids, &fault, &result, (!resets).then_some(reply.status));
    sleep(fault.after).await;
    (!resets).then(|| reply.into_response())
}

/// The fault that the request asks for itself.
fn asked_for(world: &World, asked: &Asked) -> Result<Option<Fault>, String> {
    let Some(header) = asked.headers.get("X-Leasebeat-Fault") else { return Ok(None) };
    if !world.header_faults {
        return Err("this server was started with --no-header-faults".to_owned());
    }
    let text = header.to_str().map_err(|_| "it must be printable ASCII".to_owned())?;
    text.parse().map(Some)
}

/// What a fault does to the server before the request comes to it.
fn prepare(work: &mut Work<'_>, fault: &Fault) {
    if fault.clock_ms != 0 {
        work.world.time.step(fault.clock_ms);
    }
    if !fault.close_tenant {
        return;
    }
    if let Ok(tenant) = work.authenticate() {
        if let Some(tenant) = work.world.store().tenant_mut(tenant) {
            tenant.closed = true;
        }
    }
}

/// Applies the request, unless the fault is that it is not, and answers what the fault wants.
fn played(work: &mut Work<'_>, operation: Operation, fault: &Fault) -> Result<Success, Problem> {
    let applied = if fault.answer.applies() { Some(work.apply(operation)) } else { None };
    match &fault.answer {
        Answer::Status { status, code, .. } => {
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            Err(Problem { status, ..Problem::new(*code, format!("the fault {fault} was asked for")) })
        }
        Answer::Throttle(retry_after) => {
            let problem = Problem::new(ErrorCode::LimitExceeded, format!("the fault {fault} was asked for"));
            let seconds = retry_after.as_ref().and_then(|text| text.trim().parse().ok()).unwrap_or(0u64);
            let reset_s = (work.world.time.now().as_millis() / 1_000).saturating_add(seconds);
            Err(Problem { throttle: Some(Throttle { retry_after: retry_after.clone(), reset_s }), ..problem })
        }
        _ => applied.unwrap_or_else(|| Err(Problem::new(ErrorCode::InternalError, "not applied"))),
    }
}

fn log(
    work: &Work<'_>,
    operation: &'static str,
    ids: &Correlation,
    fault: &Fault,
    result: &Result<Success, Problem>,
    status: Option<StatusCode>,
) {
    let facts = &work.facts;
    let error = result.as_ref().err().filter(|_| status.is_some());
    work.world.log.write(&Entry {
        event: "request",
        time_ms: work.world.time.now().as_millis(),
        request_id: ids.request_id.clone(),
        trace_id: ids.trace_id.clone(),
        operation,
        tenant: facts.tenant.and_then(|tenant| work.world.name_of(tenant)).map(str::to_owned),
        key: work.asked.key().map(str::to_owned),
        reservation_id: facts.reservation.map(written),
        applied: facts.applied,
        replayed: facts.replayed,
        fault: Some(fault.to_string()).filter(|text| !text.is_empty()),
        status: status.map(|status| status.as_u16()),
        error: error.map(|problem| problem.code.as_str()),
        message: error.map(|problem| problem.message.clone()),
        remaining_before_ms: facts.remaining_before.map(leasebeat::Millis::get),
        expires_at_ms: facts.expires_at.map(leasebeat_authority::ServerTime::as_millis),
        remaining_ttl_ms: facts.remaining_ttl.map(leasebeat::Millis::get),
    });
}

async fn sleep(duration: Duration) {
    if !duration.is_zero() {
        tokio::time::sleep(duration).await;
    }
}

/// A path that is served, with another method.
async fn other_method(
    State(world): State<Arc<World>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    // Of the paths served only `/v1/reservations/{id}` is read.
    let is_read = uri.path().strip_prefix("/v1/reservations/").is_some_and(|rest| !rest.contains('/'));
    let allowed = if is_read { "GET, HEAD" } else { "POST" };
    let mut problem = Problem::invalid(format!("the method is {method}; it must be one of {allowed}"));
    problem.status = StatusCode::METHOD_NOT_ALLOWED;
    refuse(&world, headers, problem).with_header("allow", HeaderValue::from_static(allowed)).into_response()
}

async fn other_path(State(world): State<Arc<World>>, headers: HeaderMap) -> Response {
    refuse(&world, headers, Problem::new(ErrorCode::NotFound, "there is no such path here")).into_response()
}

fn refuse(world: &World, headers: HeaderMap, problem: Problem) -> Reply {
    let ids = Correlation::of(&headers);
    let asked = Asked::new(headers, Bytes::new());
    let mut work = Work { world, asked: &asked, reservation: None, facts: <_>::default() };
    // Who asks is part of the log, and no reason to refuse here.
    let tenant = work.authenticate().ok();
    let status = problem.status;
    let result = Err(problem);
    log(&work, "other", &ids, &Fault::default(), &result, Some(status));
    Reply::new(&result, &ids, tenant.and_then(|tenant| world.name_of(tenant)))
}
