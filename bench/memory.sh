#!/usr/bin/env bash
# Measures how much memory Lede returns after load: anonymous resident memory (RssAnon) of one
# server, idle and some seconds after each of three loads: wrong passwords, a crawl, and lists.
# Linux only: the figures come from /proc.
#
#   bench/memory.sh                       builds and measures target/release/lede
#   bench/memory.sh PROGRAM               measures another build
#   GUESSES=600 FEEDS=300 LISTS=20000     sizes of the loads (these are the defaults)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v python3 >/dev/null || { echo "bench/memory.sh: python3 is missing; install it and run this again." >&2; exit 1; }

if (($# == 0)); then
    cargo build --release --locked --quiet --package lede --bin lede
    set -- "${CARGO_TARGET_DIR:-target}/release/lede"
fi

exec python3 - "$@" <<'PYTHON'
import http.client, http.server, json, os, random, secrets, socket, subprocess, sys, tempfile, threading, time

GUESSES = int(os.environ.get("GUESSES", 600))
FEEDS = int(os.environ.get("FEEDS", 300))
LISTS = int(os.environ.get("LISTS", 20000))
ITEMS_PER_FEED, ITEM_WORDS = 40, 300
CLIENTS, SETTLE_SECONDS, LIMIT_SECONDS = 16, 15, 300
EMAIL, PASSWORD = "ada@example.org", "correct horse battery"


class Sites(http.server.BaseHTTPRequestHandler):
    """A different feed at every path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        words = random.Random(self.path)
        text = lambda: " ".join("".join(words.choices("abcdefghij", k=words.randint(2, 9))) for _ in range(ITEM_WORDS))
        items = "".join(
            f"<item><title>{self.path} {n}</title><guid>{self.path}-{n}</guid><description>{text()}</description></item>"
            for n in range(ITEMS_PER_FEED)
        )
        body = f"<rss version='2.0'><channel><title>{self.path}</title>{items}</channel></rss>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    def __init__(self, program, folder, sites):
        self.port, self.folder = free_port(), folder
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "SERVER_PORT": str(self.port),
            "DATABASE_PATH": os.path.join(folder, "lede.db"),
            "JWT_SECRET": secrets.token_hex(32),
            "ADMIN_EMAIL": EMAIL,
            "ADMIN_PASSWORD": PASSWORD,
            "RATE_LIMIT_ENABLED": "false",
            # Wrong passwords are limited by address and account even if rate limits are off: each
            # request uses a different address and account.
            "TRUSTED_PROXY_CIDRS": "127.0.0.0/8",
            "FETCH_ALLOW": f"127.0.0.1:{sites}",
            "FETCH_HOST_INTERVAL": "0",
            "FETCH_INTERVAL": "1s",
            "LOG_LEVEL": "warn",
        }
        # Allocator settings in the environment are part of the measurement.
        environment.update({name: value for name, value in os.environ.items() if name.startswith(("MIMALLOC_", "GLIBC_", "LD_PRELOAD"))})
        self.log = open(os.path.join(folder, "log"), "w+b")
        self.process = subprocess.Popen([program, "serve"], env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        began = time.monotonic()
        while True:
            try:
                self.request("GET", "/health")
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() - began > LIMIT_SECONDS:
                    self.log.seek(0)
                    sys.exit(f"bench/memory.sh: {program} did not start:\n{self.log.read().decode(errors='replace')}")
                time.sleep(0.05)

    def request(self, method, path, body=None, headers={}, connection=None, expected=200):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = dict(headers)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != expected:
            sys.exit(f"bench/memory.sh: {method} {path} answered {answer.status}: {content[:300]!r}")
        return content

    def memory(self, name="RssAnon"):
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith(f"{name}:"))
        return int(line.split()[1]) / 1024

    def settled(self, label, idle=None):
        time.sleep(SETTLE_SECONDS)
        anonymous = self.memory()
        more = "" if idle is None else f" ({anonymous - idle:+.1f})"
        print(f"{label:<28} {anonymous:7.1f} MB anonymous{more}, {self.memory('VmRSS'):.1f} MB in all, {self.memory('VmHWM'):.1f} MB at most so far", flush=True)
        return anonymous

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def in_parallel(count, work):
    """Calls work(number) for each number below count, from several threads."""
    numbers = iter(range(count))
    lock = threading.Lock()
    failures = []

    def run():
        while not failures:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                work(number)
            except BaseException as failure:
                failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def guess(server):
    def one(number):
        from_address = {"X-Forwarded-For": f"198.51.{number // 250}.{number % 250 + 1}"}
        body = {"email": f"{number}@example.org", "password": "a wrong password"}
        server.request("POST", "/api/auth/login", body, from_address, expected=401)

    in_parallel(GUESSES, one)


def crawl(server, token, sites):
    outlines = "".join(f"<outline text='{n}' xmlUrl='http://127.0.0.1:{sites}/{n}'/>" for n in range(FEEDS))
    as_user = {"Authorization": f"Bearer {token}"}
    headers = {**as_user, "Content-Type": "application/xml"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/api/feeds/import-opml", f"<opml><body>{outlines}</body></opml>", headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status not in (200, 202):
        sys.exit(f"bench/memory.sh: the subscription list was answered {answer.status}")
    began = time.monotonic()
    while json.loads(server.request("GET", "/api/posts?limit=1", headers=as_user))["total"] < FEEDS * ITEMS_PER_FEED:
        if time.monotonic() - began > LIMIT_SECONDS:
            sys.exit("bench/memory.sh: the crawl did not end")
        time.sleep(1)


def lists(server, token):
    local = threading.local()

    def one(number):
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        path = "/api/posts?limit=50" if number % 2 else "/api/feeds"
        headers = {"Authorization": f"Bearer {token}"}
        server.request("GET", path, headers=headers, connection=local.connection)

    in_parallel(LISTS, one)


sites = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sites)
threading.Thread(target=sites.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory(prefix="bench-memory-") as folder:
    server = Server(os.path.abspath(sys.argv[1]), folder, sites.server_port)
    try:
        idle = server.settled("idle")
        guess(server)
        server.settled(f"after {GUESSES} wrong passwords", idle)
        token = json.loads(server.request("POST", "/auth/token", {"email": EMAIL, "password": PASSWORD}))["token"]
        crawl(server, token, sites.server_port)
        server.settled(f"after {FEEDS * ITEMS_PER_FEED} items", idle)
        lists(server, token)
        server.settled(f"after {LISTS} lists", idle)
    finally:
        server.stop()
PYTHON
