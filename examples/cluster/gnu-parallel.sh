#!/usr/bin/env bash
# Counts in shards with GNU parallel, on this machine or on several machines.
#
#   examples/cluster/gnu-parallel.sh 64 6x8 --kind paths --engine multipath
#   HOSTS=node1,node2,: examples/cluster/gnu-parallel.sh 64 6x8 --kind paths --engine multipath   # over ssh
#
# With a list of moduli instead of the number of shards, each job counts modulo one of them, in half of the memory, and
# `ktour merge` computes the number. `ktour estimate 8x8 --kind paths --bound` prints a list that suffices:
#
#   JOBS=1 examples/cluster/gnu-parallel.sh 65521,65519,65497,65479,65449 8x8 --kind paths
#
# In HOSTS, : is this machine. Name the engine: shards of different engines cannot be added.
#
# The script can be stopped at any time. Repeat the command to resume: finished shards are skipped (--resume-failed reads
# them from the log of jobs), the others resume from their checkpoints. A shard that was stopped (status 75) is retried
# twice in the same run. With HOSTS, all machines must share the folder of results ($PARTS, default ./parts) under the
# same name.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: $0 SHARDS|MODULI BOARD [OPTION]..." >&2
    exit 2
fi
ktour=${KTOUR:-ktour}
parts=${PARTS:-parts}
shards=$1
shift
mkdir -p "$parts"

common=(--resume-failed --retries 3 --lb ${JOBS:+--jobs "$JOBS"} ${HOSTS:+--sshlogin "$HOSTS" --workdir .} --quote)
case $shards in
*,*)
    tr , '\n' <<<"$shards" | parallel --joblog "$parts/jobs.log" "${common[@]}" \
        "$ktour" count "$@" --progress none --modulus {} \
        --checkpoint "$parts/modulo-{}.checkpoint" --json "$parts/modulo-{}.json" >/dev/null
    exec "$ktour" merge "$parts"/modulo-*.json
    ;;
esac

seq 0 $((shards - 1)) | parallel --joblog "$parts/jobs.log" "${common[@]}" \
    "$ktour" count "$@" --threads 1 --progress none --shard "{}/$shards" \
    --checkpoint "$parts/{}-of-$shards.checkpoint" --json "$parts/{}-of-$shards.json" >/dev/null

"$ktour" merge "$parts"/*"-of-$shards.json"
