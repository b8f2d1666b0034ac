#!/usr/bin/env bash
# Counts with one sweep on several Slurm nodes: one rank per node, layers distributed over their memory.
#
#   sbatch --nodes=16 examples/cluster/slurm-mpi.sh 10x10 --kind closed --memory 200G
#
# Build ktour with `cargo build --release --features mpi` against the cluster's MPI. All nodes must be able to write the
# checkpoint ($CHECKPOINT, default ./ktour-mpi.ckpt, with a file and a folder per rank).
#
# Five minutes before its time limit, the job receives USR1: it saves after the current step and is requeued. If a step
# takes longer, allow more time by sbatch --signal=USR1@SECONDS. After a failure, repeat the command with the same number
# of nodes to resume.
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

# Resumes from an existing checkpoint. MPI itself ends all ranks when one dies; a rank that exits with status 75 must not
# end the others. Slurm signals the ranks directly, not through this shell.
srun --mpi="${MPI:-pmix}" --kill-on-bad-exit=0 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
    "$ktour" count "$@" --engine frontier --mpi --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$checkpoint" --record "$checkpoint.record"
status=$?

if [ "$status" = 75 ]; then
    # Requeueing kills this script, so it must be the last command.
    exec scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
