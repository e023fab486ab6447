extension CommandTable {
  static let provenance = Verb(
    name: "provenance", summary: "show what made a file, or make the pipeline again",
    discussion: """
      Shows what an output says of itself: the version of meshpipe, the pipeline with all of its options, each input \
      with its SHA-256, how the input was read, and how well the result agrees with the photographs. STL has room for the \
      beginnings of two hashes, and some formats for nothing; then the exit code is 65.

      With --replay the pipeline is printed that makes the file again from the same input: with the same version of \
      meshpipe the same bytes, under the same name.

      Anyone can write anything into a file: what it says is proved by a signature (run --sign), or by making it again.
      """,
    operands: [
      Operand(name: "FILE", help: "A model, a point cloud, a texture or a material library.")
    ],
    options: [.replay, .json, .help],
    examples: [
      Example(line: "meshpipe provenance scan.glb", purpose: "What made it."),
      Example(
        line: "meshpipe provenance --replay scan.glb > again.json",
        purpose: "The pipeline, to be run with the same scan."),
      Example(
        line: "meshpipe provenance --json scan.glb | jq -r '.inputs[0].sha256'",
        purpose: "For programs."),
    ],
    perform: ProvenanceVerb.perform)
}
