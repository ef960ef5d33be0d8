
inside() {
    buildah run --isolation chroot --user 10001 --volume "$work/home:/var/lib/ticketing" "$container" -- "$@"
}

status() {
    curl --silent --output "$work/answer" --write-out '%{http_code}' "$@" || true
}

expect() {
    [ "$2" = "$3" ] || { echo "$1: $2 instead of $3" >&2 && cat "$work/answer" >&2 && exit 1; }
    echo "$1: $2"
}

serve() {
    local page="http://127.0.0.1:$port" password token
    install -d -o 10001 -m 700 "$work/home"
    container=$(buildah from --pull-never ticketing:test)
    if inside ticketing serve --port "$port" 2>"$work/refusal"; then
        echo "it served others while nobody had an account" >&2 && exit 1
    fi
    echo "refused: $(cat "$work/refusal")"
    password=$(head -c 18 /dev/urandom | base64)
    inside ticketing users add ann --role admin <<<"$password"
    token=$(inside ticketing users token ann --label test --scope ask --days 1 | grep -o 'tick_.*')
    inside sh -c "ticketing serve --port $port & echo \$! >pid; wait" &
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
