/// The script that Slurm runs for each shard of a batch.
struct SlurmScript {
  /// How often a task is queued again that was killed or ran out of something.
  static let restartLimit = 3

  var command: ShardCommand
  var shards: Int
  /// Where the command was given, which its relative paths begin at.
  var workingFolder: String
  /// Whether the user said how many items at once, and how much memory.
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
      # Time, memory, a lock or a killed process: another try is worth it. What is done stays done.
      if [ "$code" -eq 75 ] || [ "$code" -ge 128 ]; then
        if [ "${SLURM_RESTART_COUNT:-0}" -lt \(Self.restartLimit) ]; then
          echo "shard $shard ended with exit code $code and is queued again" >&2
          scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60
        fi
      fi
      exit "$code"

      """
  }
}
