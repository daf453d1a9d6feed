#!/usr/bin/env bash
# Makes sure that the programs of PostgreSQL are here, and prints their folder.
# Only tests need them; nothing is started. Quick where they are installed already.
set -u

folder() { ls -d /usr/lib/postgresql/*/bin /usr/local/pgsql/bin 2>/dev/null | sort -V | tail -1; }

if [ -z "$(folder)" ] && command -v pg_ctl >/dev/null; then
  dirname "$(readlink -f "$(command -v pg_ctl)")"
  exit 0
fi
if [ -z "$(folder)" ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "only root can install packages: apt-get install postgresql" >&2
    exit 1
  fi
  if ! command -v apt-get >/dev/null; then
    echo "there is no apt-get; install PostgreSQL by hand" >&2
    exit 1
  fi
  exec 9>/tmp/sandtable-postgres.lock  # tests may run side by side
  flock 9
  export DEBIAN_FRONTEND=noninteractive
  # The package would start a server of its own; tests start theirs in a folder they own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  if ! apt-get install --yes --quiet --no-install-recommends postgresql >&2; then
    apt-get update --quiet >&2 || true
    apt-get install --yes --quiet --no-install-recommends postgresql >&2 || exit 1
  fi
fi
folder
