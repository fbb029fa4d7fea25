//! The socket: accepting, resetting a connection on demand, and ending gracefully.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use leasebeat::Instant;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

use super::log::Log;
use super::options::Setup;
use super::routes;
use super::world::{World, read_id};
use crate::clock::Clock;

/// What is still in flight when the server ends gets so long.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// How often old records are looked for where no requests do it, and how many slots are looked at then.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
const SWEEP_SLOTS: usize = 4_096;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    world: Arc<World>,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Listens, and serves from then on.
    pub(crate) async fn start(setup: Setup, clock: Clock, log: Log) -> Result<Self, String> {
        let wanted = setup.listen;
        let cannot = |error| format!("cannot listen on {wanted}: {error}");
        let listener = TcpListener::bind(wanted).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let world = Arc::new(World::new(setup, clock, log));
        let (stop, stopped) = watch::channel(false);
        let accepting = tokio::spawn(accept(listener, routes::router(Arc::clone(&world)), stopped.clone()));
        tokio::spawn(sweep(Arc::clone(&world), stopped));
        Ok(Self { address, world, stop, accepting })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What truly remained of a reservation at a reading of the clock that the server was given, in ms; `None` once
    /// it has expired.
    pub(crate) fn remaining_ms(&self, id: &str, at: Instant) -> Option<u64> {
        let expires_at = self.world.store().peek(read_id(id)?)?.expires_at();
        expires_at.as_millis().checked_sub(self.world.time.at(at).as_millis())
    }

    /// How often a reservation was extended, and the least that remained of it when an extension came in, in ms.
    pub(crate) fn history(&self, id: &str) -> Option<(u64, u64)> {
        let store = self.world.store();
        let reservation = store.peek(read_id(id)?)?;
        Some((reservation.extensions().into(), reservation.data.closest.get()))
    }

    /// Whether each of the rules it was given has played, in their order.
    pub(crate) fn rules_played(&self) -> Vec<bool> {
        self.world.script().played()
    }

    /// Takes no more connections, answers what is in flight, and ends.
    pub(crate) async fn stop(self) {
        // Nobody listens any more only where everything has ended already.
        let _ = self.stop.send(true);
        let _ = self.accepting.await;
        drop(self.world);
    }
}

async fn accept(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(serve(stream, router.clone(), stop.clone()))),
                // Out of sockets for a moment: the client sees a connection that takes long.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            _ = stop.changed() => break,
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    // Those that take longer, such as a stalled answer, are dropped.
    let _ = tokio::time::timeout(LAST_ANSWERS, all).await;
}

/// How a handler kills the connection that it answers on.
#[derive(Debug, Clone, Default)]
pub(super) struct Kill(Arc<Notify>);

impl Kill {
    pub(super) fn now(&self) {
        self.0.notify_one();
    }
}

async fn serve(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    // Answers are small: waiting to fill a packet would only slow them.
    let _ = stream.set_nodelay(true);
    let kill = Kill::default();
    let service = TowerToHyperService::new(router.layer(Extension(kill.clone())));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut stopping = false;
    loop {
        tokio::select! {
            // However it ends, the client has seen it too.
            _ = &mut connection => return,
            () = kill.0.notified() => {
                let stream = connection.into_parts().io.into_inner();
                // No linger: the close is a reset, as when a machine or a proxy dies.
                let _ = stream.set_zero_linger();
                return;
            }
            _ = stop.changed(), if !stopping => {
                stopping = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    }
}

async fn sweep(world: Arc<World>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(SWEEP_EVERY) => world.store().sweep(SWEEP_SLOTS, world.time.now()),
            _ = stop.changed() => return,
        }
    }
}
