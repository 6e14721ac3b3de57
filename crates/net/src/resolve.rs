//! Finding a host's addresses.
//!
//! We ask the system's resolver, so that the operator's `/etc/hosts` and DNS settings hold for
//! Lede as for everything else on the machine. It stands behind a trait because the checks that
//! follow can only be tested with answers that no honest resolver gives.

use std::io;
use std::net::IpAddr;

use futures_util::future::BoxFuture;

/// Something that knows the addresses of names.
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of `name`, in the order in which they should be tried.
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
