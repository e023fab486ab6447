import MeshPipeline

extension CommandTable {
  static let batch = Verb(
    name: "batch", summary: "run thousands of scans through a pipeline",
    discussion: """
      Takes scans from files, folders, patterns and archives, and runs each through PIPELINE in a \
      separate worker process, so that a crash, a hang or a lack of memory affects only that scan. \
      A journal in the output folder records the result of each: after an interruption of \
      any kind, --resume continues where the batch stopped.

      An item is one scan: a mesh with its materials, textures and frames, or a capture folder. \
      Archives (zip, tar, tar.gz, tar.zst, tar.xz, 7z) are read as streams and never unpacked as a \
      whole; hostile or damaged items in them are refused one by one.

      The exit code is 0 when all items are done, 3 when some failed, and that of the first failure \
      when all did.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a JSON file, or the name of one; omitted with -s.",
        kind: .pipeline, isOptional: true),
      Operand(
        name: "INPUT",
        help: "Scans, captures, folders, archives, patterns, and @LIST for a file with paths.",
        repeats: true),
    ],
    forms: [
      "PIPELINE INPUT... -o TEMPLATE", "INPUT... [-s STAGE]... -o TEMPLATE",
    ],
    options: Option.ordered(
      [.batchOutput, .stage], Option.settings(in: .pipeline),
      [.include, .exclude, .prefer, .list, .setting(\.$inputFormat), .setting(\.$inputClasses)],
      Option.settings(in: .input, .frames), Option.settings(in: .output),
      [
        .resume, .retryFailed, .dryRun, .json, .batchJobs, .timeout, .maxMemory, .memory,
        .maxBytes, .maxRatio, .maxArchiveBytes, .maxEntries, .maxNesting, .maxStaged,
        .retries, .failFast, .batchKeepGoing, .shard, .submit, .shards, .tasksAtOnce,
        .wait, .slurmOption, .emit, .batchReport, .pictures, .pages, .reportFaces,
        .progress,
      ], Option.settings(in: .cache), Option.settings(in: .plugins), Option.settings(in: .running),
      [.quiet, .help]),
    examples: [
      Example(
        line: "meshpipe batch pipelines/web.json scans/ -o 'out/{folder}/{stem}.glb'",
        purpose: "All scans in a folder and its subfolders."),
      Example(
        line:
          "meshpipe batch pipelines/blender.json scans.tar.zst -o out/ -j 8 --timeout 5m --resume",
        purpose: "The remaining items of an archive, with a time limit for each."),
      Example(
        line:
          "meshpipe batch 'day?/*.ply' -s 'decimate faces=20%' -o 'light/{stem}.ply' --dry-run",
        purpose: "A preview of what would be done, without a pipeline file."),
    ],
    perform: BatchVerb.perform)
}
