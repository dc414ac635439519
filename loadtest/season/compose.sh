#!/bin/sh
# What happens during a season, with docker compose: `loadtest/season/compose.sh EVENT`. An operator does the same by
# hand (docs/how-to/run-in-production.md). SEASON_DIR is an absolute folder for the table sets and the decision log.
#
#   play [OPTION]  play the season, with the events below on the way; `python -m loadtest season --help` has the options
#   up             start with the tables of the previous release, which must be in git's history
#   restart        restart the service
#   add            put the tables of this checkout beside the others, and restart
#   canary, raise  let them answer 20%, then 60% of the games, and restart
#   default        let them answer all games, and restart
#   back           let the previous release answer all games again, and restart
#   reload         let the proxy read its configuration again
#   search-crash   kill the process that searches for cards
#   down           stop, and remove the containers
set -eu
cd "$(dirname "$0")/../.."
export SEASON_DIR="${SEASON_DIR:-$PWD/season}"
export COMPOSE_FILE="${COMPOSE_FILE:-docker-compose.yml:loadtest/season/compose.yml}"
tables="$SEASON_DIR/tables"

# The image's own command, so that the host needs no Python.
version_of() {
    docker compose run --rm --no-deps --quiet-pull -T --volume "$1:/one:ro" bidder \
        python -m service tables-version /one 2>/dev/null
}

# As the how-to says: a name that begins with a dot is left out until the folder is complete.
add() {
    version=$(version_of "$1")
    mv "$1" "$tables/.$version"
    mv "$tables/.$version" "$tables/$version"
    echo "$version"
}

# The proxy is restarted too, because it depends on the service.
restart() {
    docker compose restart bidder
    docker compose up --detach --wait --no-recreate --no-build
}

roles() {
    printf '%s\n' "$1" >"$tables/releases.new"
    mv "$tables/releases.new" "$tables/releases.json"
    restart
}

old=$(cat "$SEASON_DIR/old" 2>/dev/null || true)
new=$(cat "$SEASON_DIR/new" 2>/dev/null || true)
case "$1" in
play)
    shift
    events="80 restart, 160 add, 250 canary, 340 search-crash, 420 raise, 500 restart, 560 reload, 640 default"
    events="$events, 740 restart, 820 back, 900 default"
    exec .venv/bin/python -m loadtest season --url "http://127.0.0.1:${APP_PORT:-8080}" \
        --metrics-url "http://127.0.0.1:${METRICS_PORT:-8081}" --decision-log "$SEASON_DIR/decisions" \
        --on-event loadtest/season/compose.sh --events "$events" --out "$SEASON_DIR" "$@"
    ;;
up)
    mkdir -p "$tables" "$SEASON_DIR/decisions"
    chmod 777 "$SEASON_DIR/decisions" # the service runs as another user
    if [ -z "$old" ]; then
        release=$(git log -2 --format=%H -- tables/data/manifest.json | tail -1)
        mkdir "$SEASON_DIR/data"
        git archive "$release" tables/data | tar -x -C "$SEASON_DIR/data" --strip-components=2
        add "$SEASON_DIR/data" >"$SEASON_DIR/old"
        printf '{"default": "%s"}\n' "$(cat "$SEASON_DIR/old")" >"$tables/releases.json"
    fi
    docker compose up --detach --wait
    ;;
restart) restart ;;
add)
    cp -r tables/data "$SEASON_DIR/data"
    add "$SEASON_DIR/data" >"$SEASON_DIR/new"
    restart
    ;;
canary) roles "{\"default\": \"$old\", \"canary\": \"$new:0.2\"}" ;;
raise) roles "{\"default\": \"$old\", \"canary\": \"$new:0.6\"}" ;;
default) roles "{\"default\": \"$new\"}" ;;
back) roles "{\"default\": \"$old\"}" ;;
reload) docker compose kill --signal SIGHUP proxy ;;
search-crash)
    docker compose exec -T bidder python -c '
import os, pathlib, signal
for folder in pathlib.Path("/proc").glob("[0-9]*"):
    if (folder / "cmdline").read_bytes().split(b"\0")[-2:-1] == [b"searcher"]:
        os.kill(int(folder.name), signal.SIGKILL)'
    ;;
down) docker compose down --volumes ;;
*)
    echo "compose.sh: event is '$1'; accepted: play, up, restart, add, canary, raise, default, back, reload, search-crash, down" >&2
    exit 2
    ;;
esac
