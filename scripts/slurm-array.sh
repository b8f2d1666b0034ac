#!/usr/bin/env bash
# A count as a Slurm job array: one task a shard, a checkpoint a task.
#
#   sbatch --array=0-63 scripts/slurm-array.sh 6x8 --kind paths --engine multipath
#   ktour merge parts/*.json                      # when all tasks are done
#
# Or let Slurm add up, once every task has succeeded:
#
#   id=$(sbatch --parsable --array=0-63 scripts/slurm-array.sh 6x8 --kind paths --engine multipath)
#   sbatch --dependency=afterok:$id --wrap 'ktour merge parts/*.json --json whole.json'
#
# Residues are jobs without shards, in half of the memory: each task counts modulo one number, and merge makes the
# number of them. `ktour estimate 8x8 --kind paths --bound` tells which are enough:
#
#   export MODULI=65521,65519,65497,65479,65449
#   sbatch --array=0-4 scripts/slurm-array.sh 8x8 --kind paths
#
# Name the engine: parts of different engines do not add up. Number the tasks from
# 0 without gaps: task R of M does shard R/M. The folder of parts ($PARTS, default
# ./parts) must be one that all nodes see. A minute before its time is up a task is
# told to save (USR1); it ends with status 75 and is put back into the queue, and so
# is one that is preempted or loses its node. Give the same command again to go on
# with tasks that failed: what is done stays done.
#SBATCH --job-name=ktour
#SBATCH --cpus-per-task=1
#SBATCH --time=1-00:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=ktour-%A-%a.log
set -uo pipefail

ktour=${KTOUR:-ktour}
parts=${PARTS:-parts}
shard=(--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT")
name=$parts/$SLURM_ARRAY_TASK_ID-of-$SLURM_ARRAY_TASK_COUNT
if [ -n "${MODULI:-}" ]; then
    IFS=, read -ra moduli <<<"$MODULI"
    modulus=${moduli[$SLURM_ARRAY_TASK_ID]:?there are fewer MODULI than tasks}
    shard=(--modulus "$modulus")
    name=$parts/modulo-$modulus
fi
mkdir -p "$parts"

# An existing checkpoint is gone on with. Options after "$@" are ours.
"$ktour" count "$@" "${shard[@]}" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$name.checkpoint" --json "$name.json" &
child=$!

# Slurm tells this shell alone (B:), so the signal is passed on; a trap ends `wait`, which is then repeated.
trap 'kill -USR1 "$child" 2>/dev/null' USR1
trap 'kill -TERM "$child" 2>/dev/null' TERM
wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    status=$?
done

if [ "$status" = 75 ]; then
    # Requeueing kills the script that asks for it; nothing may come after.
    exec scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
