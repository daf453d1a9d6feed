#!/usr/bin/env bash
# Makes sure that the programs of a PostgreSQL server are here, and prints their folder.
# Only tests need them; nothing is started. Quick where they are installed already.
set -u

# A machine may have the client alone, in the same folder: what counts is initdb.
programs() { ls -d /usr/lib/postgresql/*/bin/initdb /usr/local/pgsql/bin/initdb 2>/dev/null | sort -V | tail -1; }

if [ -z "$(programs)" ] && command -v initdb >/dev/null; then
  dirname "$(readlink -f "$(command -v initdb)")"
  exit 0
fi
if [ -z "$(programs)" ]; then
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
  get() {
    apt-get install --yes --quiet --no-install-recommends -o DPkg::Lock::Timeout=120 \
      -o Dpkg::Options::=--force-confold postgresql >&2 </dev/null
  }
  if ! get; then  # a fresh machine has no lists of packages, an old one outdated ones
    apt-get update --quiet >&2 || true
    get || exit 1
  fi
fi
dirname "$(programs)"
