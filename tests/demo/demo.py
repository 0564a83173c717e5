#!/usr/bin/python3
"""make demo: a private PostgreSQL in which something waits for everything, and the monitor on it.

usage: demo.py [--program PATH] [-- OPTIONS OF THE PROGRAM]

The server runs in a temporary directory as user postgres. However this ends (q, Ctrl-C, a closed
terminal, kill, even kill -9), all of it is ended and removed. It uses about one and a half CPUs and
less than 500 MB of disk.
"""
import argparse
import os
import signal
import subprocess
import sys
import termios
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.dont_write_bytecode = True
import harness  # noqa: E402
import procs  # noqa: E402
from pgcluster import Cluster, pin  # noqa: E402

CONF = {
    "cluster_name": "demo",
    "fsync": "on",
    "shared_buffers": "16MB",
    "wal_buffers": "32kB",              # writers of WAL wait for room, holding page locks
    "max_wal_size": "96MB",
    "min_wal_size": "32MB",
    "checkpoint_timeout": "30s",
    "bgwriter_delay": "200ms",
    "max_connections": 80,
    "autovacuum": "on",
    "compute_query_id": "on",
    "parallel_leader_participation": "off",
    "min_parallel_table_scan_size": "1MB",
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "max_parallel_workers_per_gather": "2",
    "synchronize_seqscans": "off",
    "deadlock_timeout": "1s",
    "log_min_messages": "fatal",
    "dynamic_shared_memory_type": "posix",
}

SETUP = """
create role app login; create role report login; create role etl login; create role ops login;
grant pg_execute_server_program to etl;
create database shop owner app; create database billing owner app;
"""

SHOP = """
create table stock(sku int primary key, name text, qty int);
insert into stock select i, 'article ' || i, 1000000 from generate_series(1, 500) i;
create table orders(id int primary key, customer int, placed timestamptz, total numeric(10,2),
	note text) with (autovacuum_enabled = off);
insert into orders select i, i % 9973, now() - i * interval '1 minute', i % 500,
	repeat('lorem ipsum ', 30) from generate_series(1, 220000) i;
create table order_archive(id int, note text);
insert into order_archive select i, 'old' from generate_series(1, 1000) i;
create table price_import(sku int, price numeric);
create table exchange_rates(currency text, rate numeric);
create function fraud_score(customer int, n int) returns numeric language plpgsql as $$
declare s numeric := 0; begin
	for i in 1..n loop s := s + (customer * i) % 97; end loop; return s; end $$;
grant all on all tables in schema public to public;
analyze;
"""

BILLING = """
create table ledger(id bigserial primary key, account int, amount numeric, booked timestamptz);
create table audit(id bigserial primary key, what text, payload text)
	with (autovacuum_enabled = off);
create index on audit(what);
grant all on all tables in schema public to public;
grant all on all sequences in schema public to public;
"""

# (user, database, application, clients, pgbench script)
LOAD = [
    # a queue for one hot row, whose holder thinks while it holds it
    ("app", "shop", "checkout", 4, """
begin;
update stock set qty = qty - 1 where sku = 42;
\\sleep 120 ms
commit;
\\sleep 60 ms
"""),
    # a migration that locks a table now and then, and who wants to read it
    ("etl", "shop", "migrate archive", 1, """
begin;
lock table order_archive in access exclusive mode;
select pg_sleep(4) /* rewriting */;
commit;
\\sleep 3 s
"""),
    ("report", "shop", "archive browser", 1, """
select count(*) from order_archive where note like 'o%';
\\sleep 400 ms
"""),
    # many small commits
    ("app", "billing", "payments", 4, """
\\set account random(1, 1000)
insert into ledger(account, amount, booked) values (:account, 9.90, now());
\\sleep 4 ms
"""),
    # much WAL through little room for it
    ("etl", "billing", "audit import", 3, """
insert into audit(what, payload) select 'import', repeat(md5(i::text), 12)
	from generate_series(1, 120) i;
\\sleep 25 ms
"""),
    # reads of what is in no cache
    ("report", "shop", "customer history", 2, """
\\set first random(1, 219000)
select sum(total), min(placed) from orders where id = any(
	array(select (:first + i * 9973) % 220000 from generate_series(1, 40) i));
\\sleep 12 ms
"""),
    # a parallel query: the leader waits for its workers
    ("report", "shop", "best customers", 1, """
select customer, sum(total) from orders where note like '%ipsum%' group by 1 order by 2 desc limit 10;
\\sleep 2500 ms
"""),
    ("app", "shop", "job scheduler", 1, """
select pg_sleep(0.8) /* until the next job */;
\\sleep 50 ms
"""),
    # a table that is rebuilt again and again, so that it does not grow
    ("ops", "billing", "retention", 1, """
\\sleep 20 s
truncate audit, ledger;
"""),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def start_load(c):
    for user, database, application, clients, text in LOAD:
        path = f"{c.base}/{application.replace(' ', '-')}.sql"
        with open(path, "w", encoding="ascii") as f:
            f.write(text.lstrip("\n").replace("\n\t", " "))
        os.chmod(path, 0o644)
        c.pgbench_start("-n", "-c", clients, "-T", 1000000, "-f", path, PGUSER=user,
                        PGDATABASE=database, PGAPPNAME=application)


def start_sessions(c):
    """Sessions that wait for their client, or for each other, in all the ways there are."""
    fetch = c.base + "/fetch-rates"
    with open(fetch, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nsleep 2\necho 'EUR\t1.0'\n")
    os.chmod(fetch, 0o755)

    s = c.session("backoffice", PGUSER="app", PGDATABASE="shop")
    s.run("begin; select * from orders where id = 4711 for update;")
    s = c.session("price upload", PGUSER="etl", PGDATABASE="shop")
    s.write("copy price_import from stdin;\n1\t9.95\n")         # and no more
    s = c.session("export to partner", PGUSER="report", PGDATABASE="shop")
    s.run("set max_parallel_workers_per_gather = 0;")
    s.write("copy (select * from orders) to stdout;\n")         # nobody reads what psql prints
    s = c.session("nightly batch", PGUSER="etl", PGDATABASE="billing")
    s.run("select pg_advisory_lock(7);")
    s = c.session("nightly batch (2nd)", PGUSER="etl", PGDATABASE="billing")
    s.send("select pg_advisory_lock(7);")
    s = c.session("rates", PGUSER="etl", PGDATABASE="shop")
    # no wait event: only the kernel knows what it waits for
    feed(s, f"copy exchange_rates from program '{fetch}';\n")
    for _ in range(3):
        c.session("web pool", PGUSER="app", PGDATABASE="shop").run(
            "select name, qty from stock where sku = 17;")


def start_hogs(c):
    """Two that want the same CPU, the last one, and leave way for others."""
    for i in range(2):
        s = c.session("fraud scoring", PGUSER="app", PGDATABASE="shop")
        pin(s.pid, -1)
        os.setpriority(os.PRIO_PROCESS, s.pid, 5)
        feed(s, f"select fraud_score({4711 + i}, 8000000) as score;\n")


def feed(session, line):
    """Gives a session the same command again and again, and drops what it answers."""
    def write():
        try:
            while True:
                session.psql.stdin.write(line.encode())
        except (OSError, ValueError):
            pass

    def read():
        os.set_blocking(session.psql.stdout.fileno(), True)
        try:
            while os.read(session.psql.stdout.fileno(), 65536):
                pass
        except (OSError, ValueError):
            pass
    for work in (write, read):
        threading.Thread(target=work, daemon=True).start()


def forget_pages(paths, stop):
    """Takes the files out of the page cache again and again: reads of them are reads of the disk."""
    while not stop.wait(0.5):
        for path in paths:
            try:
                with open(path, "rb") as f:
                    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            except OSError:
                pass


def main():
    argv = sys.argv[1:]
    options = []
    if "--" in argv:
        options = argv[argv.index("--") + 1:]
        argv = argv[:argv.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=harness.PROGRAM)
    args = parser.parse_args(argv)
    program = os.path.abspath(args.program)
    if os.geteuid() != 0:
        sys.exit("demo: the monitor needs root: run \"sudo make demo\"")

    signal.signal(signal.SIGINT, signal.SIG_IGN)    # for the program to handle
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(sig, lambda s, _f: sys.exit(128 + s))
    status = 1
    terminal = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        try:
            status = run(program, options)
        finally:
            if terminal:        # a monitor that was killed leaves it raw
                termios.tcsetattr(0, termios.TCSADRAIN, terminal)
            harness.reaper.close()
    except harness.Skip as e:
        sys.exit(f"demo: {e}")
    say("demo: all of it is ended and removed")
    return status


def run(program, options):
    say("demo: starting a private PostgreSQL and its clients ...")
    c = Cluster(CONF, name="pgtop-demo")
    c.sql(SETUP)
    c.sql(SHOP, PGDATABASE="shop")
    c.sql(BILLING, PGDATABASE="billing")
    c.sql("checkpoint;")
    orders = c.value("select pg_relation_filepath('orders')", PGDATABASE="shop")
    index = c.value("select pg_relation_filepath('orders_pkey')", PGDATABASE="shop")
    stop = threading.Event()
    threading.Thread(target=forget_pages, daemon=True,
                     args=([f"{c.data}/{orders}", f"{c.data}/{index}"], stop)).start()
    start_load(c)
    start_sessions(c)
    start_hogs(c)
    say(f"demo: PostgreSQL {c.value('show server_version').split(' ')[0]} in {c.base}, "
        "removed at the end")
    process = subprocess.Popen([program, "-D", c.data, *options],
                               preexec_fn=end_with_parent)
    try:
        return process.wait()
    finally:
        stop.set()
        if process.poll() is None:
            procs.end(process.pid)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def end_with_parent():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    harness.prctl_pdeathsig(signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
