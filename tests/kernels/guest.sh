#!/bin/sh
# Runs inside the guest: PostgreSQL from a ready data directory under some load, and the monitor on it.
# The reports go to standard output, one JSON object on each line; all else to standard error.
#
# (The shell would take its own setpriv for a name without a path.)
#
# usage: guest.sh PROGRAM BINDIR DATADIR
set -u
program=$1 bindir=$2 data=$3
export PGHOST=/tmp PGUSER=postgres PGDATABASE=postgres LC_ALL=C PGTZ=GMT

as_postgres()
{
	/usr/bin/setpriv --reuid="$(id -u postgres)" --regid="$(id -g postgres)" --clear-groups -- "$@"
}

session()	# NAME SQL: a session that runs SQL and then stays
{
	(echo "$2"; sleep 1000) | PGAPPNAME=$1 as_postgres "$bindir/psql" -X -q -A -t >/dev/null 2>&1 &
}

until_true()	# SQL
{
	i=0
	while [ "$(as_postgres "$bindir/psql" -X -q -A -t -c "$1" 2>/dev/null)" != t ]; do
		i=$((i + 1))
		if [ $i -gt 100 ]; then
			echo "guest: not in time: $1" >&2
			cat /tmp/log >&2
			exit 1
		fi
		sleep 0.3
	done
}

uname -r >&2
as_postgres "$bindir/postgres" -D "$data" >/tmp/log 2>&1 &
until_true "select true"
session holder "begin; lock table held;"
until_true "select count(*) = 1 from pg_locks where mode = 'AccessExclusiveLock' and granted"
session waiter "select * from held;"
session sleeper "select pg_sleep(1000);"
session idler "select 1;"
until_true "select count(*) = 3 from pg_stat_activity where (application_name, wait_event) in
	(('waiter', 'relation'), ('sleeper', 'PgSleep'), ('idler', 'ClientRead'))"
as_postgres "$bindir/pgbench" -n -c 2 -T 1000 >/dev/null 2>&1 &
until_true "select count(*) = 2 from pg_stat_activity where application_name = 'pgbench'"
"$program" -b -f json -d 1 -n 8 -w 60 -i
status=$?
echo "guest: exit status $status" >&2
exit $status
