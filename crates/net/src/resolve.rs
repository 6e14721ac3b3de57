//! Name resolution.
//!
//! We use the system's resolver, so that the operator's `/etc/hosts` and DNS settings apply to Lede
//! as to every other program on the machine. It is behind a trait because the checks that follow
//! can only be tested with answers that no honest resolver gives.

use std::io;
use std::net::IpAddr;

use futures_util::future::BoxFuture;

/// Resolver of host names.
pub trait Resolve: Send + Sync + 'static {
    /// Returns all addresses of `name`, in the order in which they should be tried.
    fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Resolver of the operating system.
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
