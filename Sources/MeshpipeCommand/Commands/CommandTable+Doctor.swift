import MeshPipeline

extension CommandTable {
  static let doctor = Verb(
    name: "doctor", summary: "list the optional components and whether they are installed",
    discussion: """
      Lists the versions of the libraries, and what meshpipe uses if it is installed: FFmpeg for \
      videos, libwebp and libheif for frames and textures, meshoptimizer for compressed glTF, libcurl for uploads, bubblewrap and Landlock for confinement, Slurm, Python, plugins and pipelines. \
      None of this is required.
      """,
    options: Option.ordered(Option.settings(\.$pluginFolders, \.$usesNoPlugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe doctor", purpose: "When a message says that something is missing.")
    ],
    perform: DoctorVerb.perform)
}
