//! Limits on request bodies while they arrive.
//!
//! A client can announce a body and then send a byte now and then, or none. So a body has two
//! deadlines: one for all of it, and one between two pieces. A request that waits for its client's
//! bytes holds no permit (see [`super::admission`]). The number of waiting bodies is limited;
//! beyond it, the one that has waited longest is aborted. Clients that are not signed in have the
//! smallest share.
//!
//! A response may be sent before the body has been read. An HTTP/1 connection cannot be reused
//! then, and the response must say so: otherwise the client would send its next request on it and
//! lose it.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Version, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::admission::{Admission, Class, Overloaded, Permit};
use crate::Transport;
use crate::error::ApiError;
use crate::slots::{Slot, Slots};

/// Limits on bodies that are being waited for: in total, and from one address.
const ANONYMOUS_BODIES: (usize, usize) = (64, 16);
const SIGNED_IN_BODIES: (usize, usize) = (256, 32);

/// Bytes per second that extend a body's deadline. Even slow connections upload faster; a client
/// that sends a byte now and then does not.
const LOWEST_RATE: u64 = 16 * 1024;

/// Limits for reading an unwanted body in order to reuse its connection: bytes, and time.
const MAX_DRAINED: u64 = 64 * 1024;
const DRAIN_PATIENCE: Duration = Duration::from_millis(100);

/// Timeouts and slots that apply to all request bodies.
pub(crate) struct BodyRules {
    timeout: Duration,
    progress_timeout: Duration,
    anonymous: Arc<Slots>,
    signed_in: Arc<Slots>,
}

impl BodyRules {
    pub(crate) fn new(transport: &Transport) -> Arc<Self> {
        let slots = |(most, most_per_address)| Slots::new(most, most_per_address);
        Arc::new(Self {
            timeout: transport.body_timeout,
            progress_timeout: transport.body_progress_timeout,
            anonymous: slots(ANONYMOUS_BODIES),
            signed_in: slots(SIGNED_IN_BODIES),
        })
    }
}

/// The middleware's view of a request body while a handler reads it.
pub(super) struct BodyWatch {
    state: Arc<Mutex<State>>,
    version: Version,
    expects_continue: bool,
}

#[derive(Default)]
struct State {
    is_signed_in: bool,
    /// Used to regain the permit after a wait, for as long as the request needs one.
    admission: Option<(Arc<Admission>, Class)>,
    permit: Option<Permit>,
    progress: Progress,
}

#[derive(Default)]
enum Progress {
    #[default]
    Coming,
    Complete,
    Failed(Failure),
    /// The handler dropped it before its end.
    Unread(Body),
}

/// Reason for aborting a body.
#[derive(Debug, Clone, Copy)]
enum Failure {
    TooSlow,
    Overloaded,
}

impl BodyWatch {
    /// Watches the body of `request`. Returns `None` if there is none left to read.
    pub(super) fn of(
        request: &mut Request,
        address: IpAddr,
        rules: &Arc<BodyRules>,
    ) -> Option<Self> {
        if request.body().is_end_stream() {
            return None;
        }
        let state = Arc::<Mutex<State>>::default();
        let body = std::mem::take(request.body_mut());
        *request.body_mut() = Body::new(WatchedBody {
            body: Some(body),
            arrived: None,
            regaining: None,
            wait: None,
            address,
            rules: Arc::clone(rules),
            state: Arc::clone(&state),
        });
        Some(Self {
            state,
            version: request.version(),
            expects_continue: request.headers().contains_key(header::EXPECT),
        })
    }

    /// Counts the body as one of a signed-in user.
    pub(super) fn set_signed_in(&self) {
        locked(&self.state).is_signed_in = true;
    }

    /// Lends `permit` to the request, which releases it while it waits for the body.
    pub(super) fn lend(&self, permit: Permit, admission: Arc<Admission>, class: Class) {
        let mut state = locked(&self.state);
        state.permit = Some(permit);
        state.admission = Some((admission, class));
    }

    /// Takes the permit back when the request has been handled.
    pub(super) fn take_back(&self) {
        let mut state = locked(&self.state);
        state.permit = None;
        state.admission = None;
    }

    /// Returns the error to respond with if the body was aborted. It replaces the handler's
    /// response.
    pub(super) fn failure(&self) -> Option<ApiError> {
        match locked(&self.state).progress {
            Progress::Failed(Failure::TooSlow) => Some(ApiError::too_slow()),
            Progress::Failed(Failure::Overloaded) => Some(ApiError::overloaded()),
            _ => None,
        }
    }

    /// Ensures that the rest of the body is not taken for the next request: reads it if it is short,
    /// otherwise announces that the connection closes.
    pub(super) async fn settle(self, response: &mut Response) {
        // An HTTP/2 stream ends by itself and does not affect its connection.
        if self.version >= Version::HTTP_2 {
            return;
        }
        let progress = std::mem::take(&mut locked(&self.state).progress);
        let is_read = match progress {
            Progress::Complete => true,
            // Reading would send `100 Continue` and so request the body.
            Progress::Unread(_) if self.expects_continue => false,
            Progress::Unread(rest) => drain(rest).await,
            Progress::Coming | Progress::Failed(_) => false,
        };
        if !is_read {
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// Reads `rest` and discards it. Returns `true` if it ended within the limits.
async fn drain(rest: Body) -> bool {
    if rest.size_hint().lower() > MAX_DRAINED {
        return false;
    }
    let mut pieces = rest.into_data_stream();
    let mut left = MAX_DRAINED;
    let reading = async {
        loop {
            match pieces.next().await {
                None => return true,
                Some(Ok(piece)) if piece.len() as u64 <= left => left -= piece.len() as u64,
                Some(_) => return false,
            }
        }
    };
    tokio::time::timeout(DRAIN_PATIENCE, reading)
        .await
        .unwrap_or(false)
}

type Arrived = Option<Result<Frame<Bytes>, axum::Error>>;

/// The body that handlers read, wrapped with deadlines and permits.
struct WatchedBody {
    /// `None` once it has ended or failed.
    body: Option<Body>,
    /// Data that was received but is held back until there is a permit.
    arrived: Option<Arrived>,
    regaining: Option<BoxFuture<'static, Result<Permit, Overloaded>>>,
    /// Set once the body had to be waited for.
    wait: Option<Wait>,
    address: IpAddr,
    rules: Arc<BodyRules>,
    state: Arc<Mutex<State>>,
}

struct Wait {
    /// Always `Some`: no body is ever marked as being served, so one of them can always be evicted.
    slot: Option<Slot>,
    all: Pin<Box<Sleep>>,
    next_piece: Pin<Box<Sleep>>,
    began_at: Instant,
    received: u64,
}

impl WatchedBody {
    /// Waits for the next piece, without a permit. Ready when the body is aborted.
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = locked(&self.state);
        state.permit = None;
        let wait = self.wait.get_or_insert_with(|| {
            let slots = if state.is_signed_in {
                &self.rules.signed_in
            } else {
                &self.rules.anonymous
            };
            Wait {
                slot: slots.enter(Some(self.address)).ok(),
                all: Box::pin(tokio::time::sleep(self.rules.timeout)),
                next_piece: Box::pin(tokio::time::sleep(self.rules.progress_timeout)),
                began_at: Instant::now(),
                received: 0,
            }
        });
        drop(state);
        let is_evicted = match &wait.slot {
            Some(slot) => slot.poll_evicted(cx).is_ready(),
            None => false,
        };
        if is_evicted
            || wait.all.as_mut().poll(cx).is_ready()
            || wait.next_piece.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(());
        }
        Poll::Pending
    }

    /// Extends the deadlines after a piece arrived.
    fn note_piece(&mut self, arrived: &Arrived) {
        let (Some(wait), Some(Ok(frame))) = (&mut self.wait, arrived) else {
            return;
        };
        wait.received += frame.data_ref().map_or(0, |data| data.len() as u64);
        let earned = Duration::from_secs(wait.received / LOWEST_RATE);
        wait.all
            .as_mut()
            .reset(wait.began_at + self.rules.timeout + earned);
        wait.next_piece
            .as_mut()
            .reset(Instant::now() + self.rules.progress_timeout);
    }

    /// Regains the permit that was released for waiting.
    fn poll_permit(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Overloaded>> {
        if self.regaining.is_none() {
            let state = locked(&self.state);
            let Some((admission, class)) = state.admission.clone() else {
                return Poll::Ready(Ok(()));
            };
            if state.permit.is_some() {
                return Poll::Ready(Ok(()));
            }
            let address = self.address;
            self.regaining = Some(Box::pin(
                async move { admission.admit(class, address).await },
            ));
        }
        let Some(regaining) = &mut self.regaining else {
            return Poll::Ready(Ok(()));
        };
        let permit = ready!(regaining.as_mut().poll(cx));
        self.regaining = None;
        locked(&self.state).permit = Some(permit?);
        Poll::Ready(Ok(()))
    }

    fn fail(&mut self, failure: Failure) -> Poll<Arrived> {
        self.body = None;
        self.wait = None;
        locked(&self.state).progress = Progress::Failed(failure);
        let error = axum::Error::new("the body did not come in time");
        Poll::Ready(Some(Err(error)))
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Arrived> {
        let this = self.get_mut();
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        if this.arrived.is_none() {
            match Pin::new(body).poll_frame(cx) {
                Poll::Ready(arrived) => {
                    this.note_piece(&arrived);
                    this.arrived = Some(arrived);
                }
                Poll::Pending => {
                    ready!(this.poll_wait(cx));
                    return this.fail(Failure::TooSlow);
                }
            }
        }
        if ready!(this.poll_permit(cx)).is_err() {
            return this.fail(Failure::Overloaded);
        }
        let arrived = this.arrived.take().flatten();
        if arrived.is_none() {
            this.body = None;
            this.wait = None;
            locked(&this.state).progress = Progress::Complete;
        }
        Poll::Ready(arrived)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.as_ref();
        body.map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        if let Some(rest) = self.body.take() {
            locked(&self.state).progress = if rest.is_end_stream() {
                Progress::Complete
            } else {
                Progress::Unread(rest)
            };
        }
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::to_bytes;
    use futures_util::{FutureExt as _, stream};
    use tokio::sync::mpsc;

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// Creates a request whose body is what the test sends into the channel.
    fn request() -> (mpsc::Sender<Bytes>, Request, BodyWatch) {
        let (sender, receiver) = mpsc::channel(1);
        let pieces = stream::unfold(receiver, async |mut receiver| {
            let piece = receiver.recv().await?;
            Some((Ok::<_, Infallible>(piece), receiver))
        });
        let mut request = Request::new(Body::from_stream(pieces));
        let rules = BodyRules::new(&Transport::default());
        let watch = BodyWatch::of(&mut request, ADDRESS, &rules).unwrap();
        (sender, request, watch)
    }

    async fn read(request: Request) -> bool {
        to_bytes(request.into_body(), usize::MAX).await.is_ok()
    }

    /// Sends `count` pieces of `size` bytes, one every four seconds. Returns `true` if all were
    /// accepted.
    async fn send(sender: mpsc::Sender<Bytes>, size: usize, count: usize) -> bool {
        for _ in 0..count {
            tokio::time::sleep(Duration::from_secs(4)).await;
            if sender.send(Bytes::from(vec![0; size])).await.is_err() {
                return false;
            }
        }
        true
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_take_long_if_it_comes_fast_enough() {
        let (sender, upload, watch) = request();
        let rate = usize::try_from(LOWEST_RATE).unwrap();
        let (is_read, is_sent) = tokio::join!(read(upload), send(sender, 4 * rate, 100));
        assert!(is_read && is_sent && watch.failure().is_none());

        let (sender, dribble, watch) = request();
        let began = Instant::now();
        let (is_read, is_sent) = tokio::join!(read(dribble), send(sender, 1, 100));
        assert!(!is_read && !is_sent && watch.failure().is_some());
        assert!(
            began.elapsed() < Duration::from_secs(40),
            "{:?}",
            began.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_has_no_permit_while_its_body_is_waited_for() {
        let admission = Arc::new(Admission::new());
        let (sender, request, watch) = request();
        let permit = admission.admit(Class::Anonymous, ADDRESS).await.unwrap();
        watch.lend(permit, Arc::clone(&admission), Class::Anonymous);
        let holds = || locked(&watch.state).permit.is_some();
        let mut reading = Box::pin(read(request));
        assert!(holds());
        assert!((&mut reading).now_or_never().is_none());
        assert!(!holds());
        drop(sender);
        assert!(reading.await);
        assert!(holds());
        watch.take_back();
        assert!(!holds());
    }
}
