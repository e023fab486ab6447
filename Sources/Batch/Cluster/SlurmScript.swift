/// The script that Slurm runs for each shard of a batch.
struct SlurmScript {
  /// How often a task is requeued after it was killed or exceeded a limit.
  static let restartLimit = 3

  var command: ShardCommand
  var shards: Int
  /// The working folder of the command, to which its relative paths refer.
  var workingFolder: String
  /// Whether the user specified the number of simultaneous items, and the memory.
  var choosesJobs: Bool
  var choosesMemory: Bool

  var text: String {
    var more = ""
    if !choosesJobs { more += " -j \"${SLURM_CPUS_ON_NODE:-1}\"" }
    if !choosesMemory { more += " ${memory:+--memory \"${memory}MiB\"}" }
    let line = command.line(shard: "\"$shard/\(shards)\"", more: more)
    return """
      #!/bin/sh
      # One shard of a batch, written by 'meshpipe batch --submit slurm'.
      # The shard is the index in the job array, plus the argument when there are several arrays.
      cd \(ShellText.quoted(workingFolder)) || exit 74
      shard=$((SLURM_ARRAY_TASK_ID + ${1:-0}))
      memory=${SLURM_MEM_PER_NODE:-}
      [ "$memory" != 0 ] || memory=
      \(line)
      code=$?
      # Time, memory, a lock or a killed process: retry. Finished items stay finished.
      if [ "$code" -eq 75 ] || [ "$code" -ge 128 ]; then
        if [ "${SLURM_RESTART_COUNT:-0}" -lt \(Self.restartLimit) ]; then
          echo "shard $shard ended with exit code $code and is requeued" >&2
          scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60
        fi
      fi
      exit "$code"

      """
  }
}
