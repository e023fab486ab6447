import MeshPipeline

extension CommandTable {
  static let doctor = Verb(
    name: "doctor", summary: "tell which optional parts are there, and what it means",
    discussion: """
      Lists the versions of the libraries, and what meshpipe uses when it is installed: FFmpeg, libwebp and \
      libheif for frames, bubblewrap and Landlock for confinement, Slurm, Python, plugins and pipelines. \
      Nothing of this has to be there.
      """,
    options: [.plugins, .noPlugins, .json, .help],
    examples: [
      Example(line: "meshpipe doctor", purpose: "When something is said to be missing.")
    ],
    perform: DoctorVerb.perform)
}
