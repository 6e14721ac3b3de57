#!/usr/bin/env bash
# Measures start-up time and idle memory: milliseconds from just before exec to the first byte of
# the response to GET /health, and resident memory after three idle seconds. Each run has a fresh
# SQLite store; the best of five approximates an otherwise idle machine.
#
#   bench/start.sh                        builds and measures target/release/lede
#   bench/start.sh COMMAND … {port} …     measures another server, for comparison
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v python3 >/dev/null || { echo "bench/start.sh: python3 is missing; install it and run this again." >&2; exit 1; }

if (($# == 0)); then
    cargo build --release --locked --quiet --package lede --bin lede
    set -- "${CARGO_TARGET_DIR:-target}/release/lede" serve
fi

# Python for precise timing: one process starts the server and observes it, without a shell in
# between.
exec python3 - "$@" <<'PYTHON'
import os, secrets, shutil, socket, subprocess, sys, tempfile, time

RUNS, IDLE_SECONDS, LIMIT_SECONDS = 5, 3, 30


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answered(port):
    """Whether the server has sent the first byte of an answer."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return len(connection.recv(1)) == 1
    except OSError:
        return False


def resident_megabytes(pid):
    with open(f"/proc/{pid}/status") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def measure(command, folder):
    port = free_port()
    # Without the caller's settings: the start is measured with the defaults.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "SERVER_PORT": str(port),
        "BIND_ADDR": "127.0.0.1",
        "DATABASE_PATH": os.path.join(folder, "lede.db"),
        "JWT_SECRET": secrets.token_hex(32),
    }
    command = [word.replace("{port}", str(port)) for word in command]
    with open(os.path.join(folder, "log"), "w+b") as log:
        began = time.perf_counter()
        server = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            while not answered(port):
                time.sleep(0.0005)  # Leaves the server its core; far below the measured times.
                if server.poll() is not None or time.perf_counter() - began > LIMIT_SECONDS:
                    log.seek(0)
                    sys.exit(f"bench/start.sh: {command[0]} did not answer:\n{log.read().decode(errors='replace')}")
            milliseconds = (time.perf_counter() - began) * 1000
            time.sleep(IDLE_SECONDS)
            return milliseconds, resident_megabytes(server.pid)
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


# An absolute path, since each run has its own folder: no .env or lede.toml of the checkout is read.
found = shutil.which(sys.argv[1]) or sys.exit(f"bench/start.sh: there is no program '{sys.argv[1]}'.")
program = os.path.abspath(found)
results = []
for _ in range(RUNS):
    with tempfile.TemporaryDirectory(prefix="bench-start-") as folder:
        results.append(measure([program, *sys.argv[2:]], folder))
starts, memory = zip(*results)
print(f"cold start: {min(starts):.0f} ms (best of {RUNS}: {', '.join(f'{one:.0f}' for one in starts)})")
print(f"idle memory: {min(memory):.1f} MB (best of {RUNS}: {', '.join(f'{one:.1f}' for one in memory)})")
PYTHON
