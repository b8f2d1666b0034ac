#!/usr/bin/env bash
# Counts with a Slurm job array: one task and one checkpoint per shard.
#
#   sbatch --array=0-63 examples/cluster/slurm-array.sh 6x8 --kind paths --engine multipath
#   ktour merge parts/*.json                      # when all tasks are finished
#
# Or let Slurm merge the results when all tasks have succeeded:
#
#   id=$(sbatch --parsable --array=0-63 examples/cluster/slurm-array.sh 6x8 --kind paths --engine multipath)
#   sbatch --dependency=afterok:$id --wrap 'ktour merge parts/*.json --json whole.json'
#
# With MODULI, each task counts the whole board modulo one number, in half of the memory, and `ktour merge` computes the
# number. `ktour estimate 8x8 --kind paths --bound` prints moduli that suffice:
#
#   export MODULI=65521,65519,65497,65479,65449
#   sbatch --array=0-4 examples/cluster/slurm-array.sh 8x8 --kind paths
#
# Name the engine: shards of different engines cannot be added. Number the tasks from 0 without gaps: task R of M counts
# shard R/M. All nodes must share the folder of results ($PARTS, default ./parts).
#
# A minute before its time limit, a task receives USR1: it saves, exits with status 75 and is requeued. A task that is
# preempted or loses its node is requeued as well. Repeat the command to resume failed tasks; finished tasks are not
# repeated.
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
    modulus=${moduli[$SLURM_ARRAY_TASK_ID]:?MODULI has fewer numbers than there are tasks}
    shard=(--modulus "$modulus")
    name=$parts/modulo-$modulus
fi
mkdir -p "$parts"

# Resumes from an existing checkpoint. Options after "$@" are set by this script.
"$ktour" count "$@" "${shard[@]}" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$name.checkpoint" --json "$name.json" &
child=$!

# Slurm signals only this shell (B:), which forwards the signal. A trap ends `wait`, which is then repeated.
trap 'kill -USR1 "$child" 2>/dev/null' USR1
trap 'kill -TERM "$child" 2>/dev/null' TERM
wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    status=$?
done

if [ "$status" = 75 ]; then
    # Requeueing kills this script, so it must be the last command.
    exec scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
