//! Response body that counts its request as in progress until it is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

use super::activity::UnderWay;

pub(super) struct AnswerBody {
    body: Body,
    under_way: UnderWay,
}

impl AnswerBody {
    pub(super) fn new(body: Body, mut under_way: UnderWay) -> Self {
        // Stalled until the first frame is polled, which happens when the client has room for it.
        under_way.set_stalled(true);
        Self { body, under_way }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, under_way } = self.get_mut();
        under_way.set_stalled(false);
        let frame = ready!(Pin::new(body).poll_frame(cx));
        under_way.set_stalled(true);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
