import MeshPipeline

/// The options of 'batch' for clusters and build systems.
extension Option {
  static let submit = Option(
    "--submit", in: .cluster, value: .choice("WHERE", ["slurm"]),
    help: "Submit the batch to a cluster, as a job array with one task per shard.")
  static let shards = Option(
    "--shards", in: .cluster, value: .integer("N", 1...100_000),
    help: "The number of equal parts for --submit and --emit parallel.")
  static let tasksAtOnce = Option(
    "--tasks-at-once", in: .cluster, value: .integer("M", 1...100_000),
    help: "Run at most this many tasks of the job array at once.")
  static let wait = Option(
    "--wait", in: .cluster,
    help: "Wait for the submitted tasks, and exit with the batch's exit code."
  )
  static let slurmOption = Option(
    "--slurm-option", in: .cluster, value: .text("OPTION"), repeats: true,
    help: "Pass this option to sbatch: '--slurm-option --time=2:00:00'.")
  static let emit = Option(
    "--emit", in: .cluster, value: .choice("KIND", ["parallel", "make", "ninja"]),
    help:
      "Only print a command for GNU parallel over ssh, or a build file with a rule for each scan."
  )

  static let cluster: [Option] = [submit, shards, tasksAtOnce, wait, slurmOption, emit]
}
