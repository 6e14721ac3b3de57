//! Pacing over real connections; the rules themselves are tested beside their code.

use std::time::Duration;

use lede_net::{Conditions, FetchError, Net, Purpose, Refusal, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use crate::site::{Site, fetch, ok, redirect, settings, url};

#[tokio::test]
async fn a_tarpit_holds_its_own_slots_and_nobody_elses() {
    let mut tarpit = Site::stalling("").await;
    let quick = Site::answering(ok("hello")).await;
    let net = Net::new(settings(&format!("{},{}", tarpit.entry(), quick.entry()))).unwrap();
    for _ in 0..20 {
        let (net, address) = (net.clone(), tarpit.url("/"));
        tokio::spawn(async move { fetch(&net, &address).await });
    }
    tarpit.request().await;
    tarpit.request().await;
    for _ in 0..5 {
        assert!(fetch(&net, &quick.url("/")).await.is_ok());
    }
    assert!(tarpit.requests().is_empty(), "two at a time");
}

#[tokio::test]
async fn sites_that_are_silent_or_only_drip_keep_nobody_from_being_fetched() {
    let silent = Site::stalling("").await;
    let dripping = Site::stalling("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome").await;
    let quick = Site::answering(ok("hello")).await;
    let allow = [&silent, &dripping, &quick].map(Site::entry).join(",");
    let settings = Settings {
        max_concurrent: 1,
        ..settings(&allow)
    };
    let net = Net::new(settings).unwrap();
    for mut tarpit in [silent, dripping] {
        let (net, address) = (net.clone(), tarpit.url("/"));
        tokio::spawn(async move { fetch(&net, &address).await });
        tarpit.request().await;
    }
    assert!(fetch(&net, &quick.url("/")).await.is_ok());
}

#[tokio::test]
async fn a_body_that_somebody_works_on_keeps_the_next_from_coming() {
    let site = Site::answering(ok("hello")).await;
    let settings = Settings {
        max_concurrent: 1,
        ..site.settings()
    };
    let net = Net::new(settings).unwrap();
    let held = fetch(&net, &site.url("/first")).await.unwrap();
    let mut next = Box::pin(async { fetch(&net, &site.url("/second")).await });
    let early = tokio::time::timeout(Duration::from_millis(50), &mut next).await;
    assert!(early.is_err(), "there is room for one body");
    let room = held.memory_permit.clone();
    drop(held);
    let early = tokio::time::timeout(Duration::from_millis(50), &mut next).await;
    assert!(early.is_err(), "the room was taken along");
    drop(room);
    assert!(next.await.is_ok());
}

#[tokio::test]
async fn a_slow_body_finds_room_again_when_it_is_whole() {
    let site = Site::serving(|_, mut stream| async move {
        let whole = ok("hello");
        let (first, last) = whole.split_at(whole.len() - 1);
        stream.write_all(first).await.unwrap();
        tokio::time::sleep(Duration::from_millis(150)).await;
        stream.write_all(last).await.unwrap();
    })
    .await;
    let fetched = site.fetched().await.unwrap();
    assert!(fetched.memory_permit.is_some());
}

#[tokio::test]
async fn a_connection_that_nobody_waits_for_is_closed_with_its_feed() {
    let (sender, mut closed) = tokio::sync::mpsc::unbounded_channel();
    let site = Site::serving(move |_, mut stream| {
        let sender = sender.clone();
        async move {
            // Longer than what is read together with the headers: after a short body there is no
            // buffer to free.
            let body = vec![b'x'; 1 << 19];
            stream.write_all(&ok(body)).await.unwrap();
            let more = stream.read(&mut [0; 64]).await.unwrap();
            sender.send(more).unwrap();
        }
    })
    .await;
    let net = site.net();
    fetch(&net, &site.url("/")).await.unwrap();
    assert_eq!(closed.recv().await, Some(0));
}

#[tokio::test]
async fn redirects_within_a_site_wait_for_no_second_turn() {
    let site = Site::answering_by(|head| match head.split(' ').nth(1) {
        Some("/") => redirect(302, "/a"),
        _ => ok("arrived"),
    })
    .await;
    let settings = Settings {
        host_interval: Duration::from_secs(3600),
        ..site.settings()
    };
    // A second turn would have to wait for an hour.
    let net = Net::new(settings).unwrap();
    assert!(fetch(&net, &site.url("/")).await.is_ok());
}

#[tokio::test]
async fn the_wait_for_a_turn_is_not_the_servers_time() {
    let site = Site::answering(ok("hello")).await;
    let settings = Settings {
        host_interval: Duration::from_secs(30),
        feed_deadline: Duration::from_secs(20),
        ..site.settings()
    };
    let net = Net::new(settings).unwrap();
    fetch(&net, &site.url("/")).await.unwrap();
    let began = Instant::now();
    let second = tokio::spawn({
        let (net, address) = (net.clone(), site.url("/"));
        async move { fetch(&net, &address).await }
    });
    // Let it queue up, then advance the clock past its turn.
    tokio::task::yield_now().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
    let fetched = second.await.unwrap().unwrap();
    assert!(began.elapsed() > Duration::from_secs(30));
    assert!(fetched.elapsed < Duration::from_secs(20));
}

#[tokio::test]
async fn a_redirect_to_another_site_gives_the_first_turn_back() {
    let other = Site::answering(ok("arrived")).await;
    let target = other.url("/").to_string();
    let site = Site::answering_by(move |_| redirect(302, &target)).await;
    let settings = Settings {
        max_concurrent: 1,
        ..settings(&format!("{},{}", site.entry(), other.entry()))
    };
    // A fetch that held the only turn would wait for it in vain.
    let net = Net::new(settings).unwrap();
    assert!(fetch(&net, &site.url("/")).await.is_ok());
}

#[tokio::test]
async fn what_is_refused_waits_for_no_turn_and_takes_none() {
    let settings = Settings {
        host_interval: Duration::from_secs(3600),
        ..settings("")
    };
    let net = Net::new(settings).unwrap();
    for _ in 0..2 {
        let error = fetch(&net, &url("http://10.0.0.1/")).await.unwrap_err();
        assert_eq!(error, FetchError::Refused(Refusal::Address));
    }
}

#[tokio::test]
async fn pictures_come_without_a_pause() {
    let site = Site::answering(ok("picture")).await;
    let settings = Settings {
        host_interval: Duration::from_secs(3600),
        ..site.settings()
    };
    let net = Net::new(settings).unwrap();
    for _ in 0..3 {
        let none = Conditions::default();
        assert!(
            net.fetch(&site.url("/"), Purpose::Image, &none)
                .await
                .is_ok()
        );
    }
}
