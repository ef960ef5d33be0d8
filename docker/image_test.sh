#!/usr/bin/env bash
# Builds the image without a daemon, serves from it and asks it, as root with buildah and debootstrap.
# Debian's Python stands for the base that the Dockerfile names. The certificates, wheels and index that
# this machine's pip uses are used inside as well.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d /var/tmp/ticketing-image-XXXXXX)
port=18973

buildah() {
    command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}

make_base() {
    local name container
    name=$(sed -n 's/^FROM \(python:[^ ]*\).*/\1/p' docker/Dockerfile | head -1)
    debootstrap --variant=minbase --include=ca-certificates,python3-venv bookworm "$work/base" >"$work/log"
    ln -s python3 "$work/base/usr/bin/python"
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$work/base" / >/dev/null
    buildah commit --quiet --rm "$container" "$name" >/dev/null
    rm -rf "$work/base"
}

build() {
    local settings="$work/pip.conf" mounts=() path
    echo '[global]' >"$settings"
    python3 -m pip config list | sed -n "s/^global\.\(cert\|find-links\|index-url\)='\(.*\)'/\1 = \2/p" \
        >>"$settings"
    mounts+=(--volume "$settings:/etc/pip.conf:ro")
    for path in $(sed -n 's/^[^=]* = //p' "$settings"); do
        [ ! -e "$path" ] || mounts+=(--volume "$path:$path:ro")
    done
    buildah build --format docker --isolation chroot --pull-never --ignorefile docker/Dockerfile.dockerignore \
        "${mounts[@]}" ${TORCH_INDEX+--build-arg TORCH_INDEX="$TORCH_INDEX"} \
        --file docker/Dockerfile --tag ticketing:test .
}

inside() {
    buildah run --isolation chroot --user 10001 --env TICKETING_PORT="$port" \
        --volume "$work/home:/var/lib/ticketing" "$container" -- "$@"
}

status() {
    curl --silent --output "$work/answer" --write-out '%{http_code}' "$@" || true
}

expect() {
    echo "$1: $2"
    [ "$2" = "$3" ] || { echo "That should be $3." >&2; exit 1; }
}

serve() {
    local page="http://127.0.0.1:$port" password token
    install -d -o 10001 -m 700 "$work/home"
    container=$(buildah from --pull-never ticketing:test)
    if inside ticketing serve 2>"$work/refusal"; then
        echo "It served others while nobody had an account." >&2
        exit 1
    fi
    cat "$work/refusal"
    grep --quiet "ticketing users add" "$work/refusal"
    password=$(head -c 18 /dev/urandom | base64)
    inside ticketing users add ann --role admin <<<"$password"
    token=$(inside ticketing users token ann --label test --scope ask --days 1 | grep -o 'tick_.*')
    inside sh -c "ticketing serve & echo \$! >pid; wait" &
    for _ in $(seq 120); do
        [ "$(status "$page/healthz")" = 000 ] || break
        sleep 1
    done
    expect "health" "$(status "$page/healthz")" 200
    cat "$work/answer"
    expect "without an account" "$(status "$page/api/jobs")" 401
    expect "with a token" "$(status --header "Authorization: Bearer $token" "$page/api/jobs")" 200
    expect "sign-in page" "$(status "$page/sign-in")" 200
    kill "$(cat "$work/home/pid")"
    wait $!
    echo "stopped"
}

trap 'rm -rf "$work"' EXIT
make_base
build
serve
