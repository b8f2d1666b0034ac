#!/usr/bin/env bash
# A count in shards with GNU parallel, on this machine or on many.
#
#   scripts/gnu-parallel.sh 64 6x8 --kind paths --engine multipath
#   HOSTS=node1,node2,: scripts/gnu-parallel.sh 64 6x8 --kind paths --engine multipath   # over ssh
#
# With a list of moduli in place of the number of shards, each job counts modulo one of them, in half of the memory,
# and merge makes the number; `ktour estimate 8x8 --kind paths --bound` tells which are enough:
#
#   JOBS=1 scripts/gnu-parallel.sh 65521,65519,65497,65479,65449 8x8 --kind paths
#
# In HOSTS, : is this machine. Name the engine: parts of different engines do not add up.
#
# Stop it whenever you like and give the same command again: shards that are done
# are not done again (--resume-failed reads them from the log of jobs), the others
# go on from their checkpoints. A shard that was stopped (status 75) is tried again
# twice in the same run. With HOSTS, the folder of parts ($PARTS, default ./parts)
# must be one that all machines see under the same name.
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
