#!/bin/sh
# A campaign over GSL's special functions in 8 shards: under Slurm (two nodes on this machine, one of which is killed), in local processes
# and under mpirun. Each report has the bytes of the search in one piece. `make test-campaign`; installs Slurm and Open MPI.
#   scripts/test-campaign.sh FOLDER-WITH-LOSTBITS LIBRARY
set -eu
home=$(cd "$1" && pwd)
library=$(readlink -f "$2")
calls=$(cd "$(dirname "$0")/.." && pwd)/bench/calls/gsl-one.txt
work=$(mktemp -d)
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
packages="slurm-wlm munge openmpi-bin"
# shellcheck disable=SC2086
dpkg -s $packages >/dev/null 2>&1 || apt-get install -y --no-install-recommends $packages >/dev/null

# A cluster of its own: other ports, folders and names than a real one. Slurm's daemons run as whoever runs this.
daemons=""
stop() {
    for pid in $daemons; do kill "$pid" 2>/dev/null || true; done
    sleep 1
    rm -rf "$work"
}
trap stop EXIT
me=$(id -un) host=$(hostname -s)
mkdir -p "$work/state" "$work/n1" "$work/n2" "$work/munge"
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
# munged refuses folders that others can write, as /tmp.
munged --force --socket="$work/munge/socket" --key-file="$work/munge/key" --log-file="$work/munge/log" --pid-file="$work/munge/pid" \
    --seed-file="$work/munge/seed" 2>/dev/null
daemons="$daemons $(cat "$work/munge/pid")"
cat >"$work/slurm.conf" <<END
ClusterName=lostbits
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
MinJobAge=60
SchedulerType=sched/builtin
SelectType=select/linear
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=26818 CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=26819 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
slurmctld -D >"$work/slurmctld.out" 2>&1 &
daemons="$daemons $!"
slurmd -D -N n1 >"$work/n1.out" 2>&1 &
first=$!
slurmd -D -N n2 >"$work/n2.out" 2>&1 &
daemons="$daemons $first $!"
tries=0
until [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null | head -n 1)" = 2 ]; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { cat "$work"/*.out "$work"/*.log; echo "FAILED: Slurm does not start"; exit 1; }
    sleep 1
done

cd "$work"
set -- --library "$library" --calls "$calls" --init gsl_set_error_handler_off --format json --seed 1
"$home/lostbits" search "$@" >expected 2>single.log && code=0 || code=$?
[ $code = 1 ] || { cat single.log; fail "the search in one piece: exit $code"; }
grep -q '"call"' expected || fail "the search in one piece finds nothing"

# same NAME: a campaign came to the bytes and the exit code of the search in one piece.
same() {
    cmp -s expected "$1.json" || fail "$1: the report differs from that of the search in one piece"
    [ "$code" = 1 ] || fail "$1: exit $code: $(tail -n 5 "$1.log")"
    echo "$1: $(wc -c <"$1.json") bytes, as the search in one piece"
}

"$home/lostbits" campaign --slurm --shards 8 --folder slurm --report slurm.json -- "$@" >slurm.log 2>&1 && code=0 || code=$?
same slurm
[ "$(sacct 2>/dev/null | wc -l)" -ge 0 ] && ls slurm/shard-8.log >/dev/null || fail "slurm: no log of shard 8"

# The node of a shard dies in the middle of it.
"$home/lostbits" campaign --slurm --sbatch-option=--nodelist=n1 --shards 8 --folder killed --report killed.json -- "$@" >killed.log 2>&1 &
campaign=$!
tries=0
until [ -s killed/shard-2.jsonl ] || [ $tries -gt 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
squeue --noheader --format='%i %T %N' >queue
kill -9 "$first"
# What ran on the node dies with it.
for process in $(pgrep -f "killed/shard.sh" || true) $(pgrep -f "killed.*shard-[0-9]*.jsonl" || true); do
    kill -9 "$process" 2>/dev/null || true
done
grep -q RUNNING queue || fail "no shard was running when the node died: $(cat queue)"
sleep 2
slurmd -D -N n1 >"$work/n1-again.out" 2>&1 &
daemons="$daemons $!"
wait $campaign && code=0 || code=$?
same killed
grep -Eq "Requeued|requeue|started again|not responding|NODE_FAIL" killed.log killed/*.log "$work/slurmctld.log" ||
    fail "killed: nothing was done again: $(cat killed.log)"

"$home/lostbits" campaign --local --workers 2 --shards 8 --folder local --report local.json -- "$@" >local.log 2>&1 && code=0 || code=$?
same local
"$home/lostbits" campaign --mpi --launch 'mpirun.openmpi -np 3' --shards 8 --folder mpi --report mpi.json -- "$@" >mpi.log 2>&1 && code=0 || code=$?
same mpi
test $failures -eq 0
