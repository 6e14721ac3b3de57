//! The demo: a temporary store, a ready account and a few sites that Lede serves to itself, so that
//! everything can be seen without a network. It grows with the product.

mod sites;

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use lede_core::access::FeedInput;
use lede_core::accounts;
use lede_core::subscribe;
use lede_model::credentials::Access;
use lede_model::secret::Secret;
use lede_model::user::Role;
use lede_store::{DatabaseLocation, users};
use tokio::net::TcpListener;

use crate::app::{App, Work};
use crate::config::Config;

const EMAIL: &str = "demo@lede.example";

/// Runs the demo until the process is asked to stop, then removes all of its data.
pub(crate) async fn run(mut config: Config) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()
        .context("cannot create a temporary folder; set TMPDIR to a writable one")?;
    config.place = DatabaseLocation::File(folder.path().join("demo.db"));
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let sites = listener.local_addr()?;
    // Only this one local address, and only while the demo runs.
    config.net.allow = sites.to_string().parse()?;
    config.net.host_interval = std::time::Duration::ZERO;
    config.app_password = None;
    config.accounts.clear();
    config.core.backups = None;
    config.core.registration = lede_core::Registration::Closed;

    let server = config.server.clone();
    let app = App::build(config).await?;
    let router = sites::router(app.lede.clock.clone());
    let serving = tokio::spawn(async move {
        lede_server::serve(listener, router, &server, std::future::pending()).await;
    });
    let password = Secret::new(accounts::random_token());
    accounts::ensure_account(&app.lede, EMAIL, &password, Role::Admin).await?;
    let (user, _) = app
        .lede
        .store
        .read(|db| users::find_by_email(db, EMAIL))
        .await?
        .context("the account of the demo is missing")?;
    for path in sites::FEEDS {
        let typed = FeedInput::read(&format!("http://{sites}{path}"), &Access::default())?;
        subscribe::subscribe(&app.lede, &user, &typed, None).await?;
    }
    announce(&app, &password)?;
    app.serve(Work::Here).await?;
    serving.abort();
    Ok(())
}

#[expect(
    clippy::print_stdout,
    reason = "the password is shown here and nowhere else"
)]
fn announce(app: &App, password: &Secret) -> anyhow::Result<()> {
    let port = app.address()?.port();
    println!("\n  Lede demo: http://localhost:{port}\n");
    println!("  e-mail    {EMAIL}");
    println!("  password  {}\n", password.reveal());
    println!("  All data is deleted when you stop the demo with Ctrl-C.\n");
    Ok(())
}
