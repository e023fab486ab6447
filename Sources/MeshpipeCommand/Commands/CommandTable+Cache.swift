import MeshPipeline

extension CommandTable {
  /// What all verbs of the cache say of its place.
  private static let place = """
    The cache is the folder of --cache, of the environment variable MESHPIPE_CACHE, or meshpipe in the user's cache \
    folder (XDG_CACHE_HOME or ~/.cache).
    """

  static let cacheList = Verb(
    name: "cache list", summary: "list the kept results of stages",
    discussion: """
      'run' and 'batch' keep the scene after a costly stage, so that a run that was interrupted, failed or has other \
      options in later stages continues there. For each result this shows its size, the time of the work that it \
      saves, the stage, the pipeline and the scan; those used last come first.

      \(place)
      """,
    options: Option.ordered(Option.settings(\.$cacheFolder), [.json, .help]),
    examples: [Example(line: "meshpipe cache list", purpose: "What is there, and how much.")],
    perform: CacheVerb.list)

  static let cachePrune = Verb(
    name: "cache prune", summary: "remove kept results of stages",
    discussion: """
      Removes the results that were used longest ago, until the others have no more than --cache-size; without it all. \
      Runs do so by themselves when the cache gets larger than their --cache-size.

      \(place)
      """,
    options: Option.ordered(Option.settings(\.$cacheFolder, \.$cacheSize), [.json, .help]),
    examples: [
      Example(line: "meshpipe cache prune", purpose: "Empties the cache."),
      Example(line: "meshpipe cache prune --cache-size 1GB", purpose: "Leaves what was used last."),
    ],
    perform: CacheVerb.prune)

  static let cacheVerify = Verb(
    name: "cache verify", summary: "compare kept results of stages with their checksums",
    discussion: """
      Lists damaged files, removes them, and exits with 65 if there are any. Runs do the same with each file that \
      they use.

      \(place)
      """,
    options: Option.ordered(Option.settings(\.$cacheFolder), [.json, .help]),
    examples: [Example(line: "meshpipe cache verify", purpose: "After trouble with a disk.")],
    perform: CacheVerb.verify)
}
