#!/usr/bin/env bash
# One sweep on several Slurm nodes: a rank a node, layers spread over their memory.
#
#   sbatch --nodes=16 scripts/slurm-mpi.sh 10x10 --kind closed --memory 200G
#
# ktour must be built with `cargo build --release --features mpi` against the cluster's MPI. Checkpoints
# ($CHECKPOINT, default ./ktour-mpi.ckpt, with a file and a folder for each rank) must be where all nodes can
# write. Five minutes before its time is up the job is told to rest (USR1): it does so after the step, and is
# put back into the queue; more minutes (sbatch --signal=USR1@SECONDS) where a step takes longer. Give the same command again, with as many nodes, to go on after a failure.
#SBATCH --job-name=ktour-mpi
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=1-00:00:00
#SBATCH --signal=USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=ktour-mpi-%j.log
set -uo pipefail

ktour=${KTOUR:-ktour}
checkpoint=${CHECKPOINT:-ktour-mpi.ckpt}

# An existing checkpoint is gone on with. MPI itself ends all ranks when one dies; one that ends with status 75
# must not end the others. The steps get the signal themselves, without this shell.
srun --mpi="${MPI:-pmix}" --kill-on-bad-exit=0 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
    "$ktour" count "$@" --engine frontier --mpi --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$checkpoint" --record "$checkpoint.record"
status=$?

if [ "$status" = 75 ]; then
    # Requeueing kills the script that asks for it; nothing may come after.
    exec scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
