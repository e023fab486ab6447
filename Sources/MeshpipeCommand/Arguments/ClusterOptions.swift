/// The options of 'batch' that hand the work to others.
extension Option {
  static let submit = Option(
    "--submit", in: .cluster, value: .choice("WHERE", ["slurm"]),
    help: "Give the work to a cluster, as a job array with a task for each shard.")
  static let shards = Option(
    "--shards", in: .cluster, value: .integer("N", 1...100_000),
    help: "The number of equal parts for --submit and --emit parallel.")
  static let tasksAtOnce = Option(
    "--tasks-at-once", in: .cluster, value: .integer("M", 1...100_000),
    help: "Let so many tasks of the job array run at the same time.")
  static let wait = Option(
    "--wait", in: .cluster,
    help: "Stay until the submitted tasks have ended, and end with the batch's exit code."
  )
  static let slurmOption = Option(
    "--slurm-option", in: .cluster, value: .text("OPTION"), repeats: true,
    help: "Give this to sbatch too: '--slurm-option --time=2:00:00'.")
  static let emit = Option(
    "--emit", in: .cluster, value: .choice("KIND", ["parallel", "make", "ninja"]),
    help:
      "Do nothing, but print the line for GNU parallel over ssh, or a build file with a rule for each scan."
  )

  static let cluster: [Option] = [submit, shards, tasksAtOnce, wait, slurmOption, emit]
}
